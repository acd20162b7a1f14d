import { ConfigError, readConfig } from '../config/config.js';
import { ownEncryptionKey } from '../config/encryption-key.js';
import { createContainer } from '../container.js';
import { StoreInUseError, StoreOpenError, StoreUnavailableError } from '../ports/store-errors.js';
import { acceptKeys, rewrapCanary } from '../services/upkeep/canary.js';
import {
  type Reencrypted,
  reencrypt,
  SEALED_KINDS,
  type SealedKind,
  type UnopenedText,
} from '../services/upkeep/reencrypt.js';

const USAGE = `Encrypts with the first key of SERVICE_ENCRYPTION_KEYS whatever is stored under another one, so that the others can be
removed. Run it with the same environment as the servers, once all of them have the new key in front. It can be
interrupted and run again.

On MongoDB, servers may run meanwhile. The embedded store allows one process: stop the server first.

Exits with 0 if nothing is left under another key, and with 1 otherwise.

  --lost-key   the former key is lost for good: lets the servers start with the present keys. Lists what stays unreadable
`;

const LOST_KEY = '--lost-key';

const WITH_SERVER =
  'With the embedded store, the server must not run meanwhile: stop it, run this command, and start it again.';

const NAMES: Readonly<Record<SealedKind, string>> = {
  inboundSecrets: 'secrets of inbound webhooks',
  outboundSecrets: 'secrets of outbound webhooks',
  deliveries: 'pending inbound deliveries',
};

const [argument] = process.argv.slice(2);
if (argument === '--help' || argument === '-h') {
  console.log(USAGE);
} else if (argument !== undefined && argument !== LOST_KEY) {
  console.error(`Unknown option ${argument}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  try {
    await main();
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const isLost = argument === LOST_KEY;
  if (isLost && config.encryptionKeys.length === 0) await ownEncryptionKey(config.dataDir);
  await using container = await createContainer(config, () => {
    // A failing store rejects pending operations, which ends the run.
  });
  const { deps } = container;
  if (isLost) await acceptKeys(deps);
  report(await reencrypt(deps));
  if (await rewrapCanary(deps)) return;
  console.error('Servers cannot start with these keys: the store was never used with any of them.');
  process.exitCode = 1;
}

function report({ counts, unopened, isSettled }: Reencrypted): void {
  for (const kind of SEALED_KINDS) {
    const { rewrapped, kept } = counts[kind];
    console.log(`${NAMES[kind]}: ${rewrapped} re-encrypted, ${kept} already under the first key`);
  }
  for (const text of unopened) console.error(describe(text));
  if (unopened.length > 0) {
    console.error(
      'None of the keys decrypts these. Add the key that encrypted them and run this again. If it is lost, ask an ' +
        'owner to rotate the secret twice or delete the webhook.',
    );
  }
  if (!isSettled) {
    console.error(
      'A server still encrypts with another key: put the new key first on every server, restart them all, and run ' +
        'this again.',
    );
  }
  if (unopened.length === 0 && isSettled) console.log('Everything is under the first key.');
  else process.exitCode = 1;
}

function describe({ kind, organizationId, webhookId, deliveryKey, reason }: UnopenedText): string {
  const webhook = `${kind === 'outboundSecrets' ? 'outbound' : 'inbound'} webhook ${webhookId}`;
  const delivery = deliveryKey === undefined ? '' : `, delivery ${deliveryKey}`;
  return `organization ${organizationId}, ${webhook}${delivery}: ${reason}`;
}

/** Returns the message without a stack if the operator can fix the error. */
function explain(error: unknown): unknown {
  if (error instanceof StoreInUseError) return `${error.message}\n${WITH_SERVER}`;
  if (error instanceof StoreUnavailableError) return `${error.message}\nWhat was re-encrypted is kept: run this again.`;
  return error instanceof ConfigError || error instanceof StoreOpenError ? error.message : error;
}
