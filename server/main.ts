import { ConfigError, readConfig } from './config/config.js';
import { credentialsPath } from './config/credentials.js';
import { StoreOpenError } from './ports/store.js';
import { type Service, startService } from './service.js';

const STOPPED_BY_STORE = 70;

try {
  await main();
} catch (error) {
  console.error(isExpected(error) ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  let isServing = false;
  const service = await startService(config, (error) => {
    // Before that, the start fails with an error of its own.
    if (!isServing) return;
    console.error('The store failed and can no longer promise that writes are durable: stopping.', error);
    process.exit(STOPPED_BY_STORE);
  });
  isServing = true;
  stopOnSignal(service);
  announce(service, credentialsPath(config.dataDir));
  if (config.defaultOrganizationId !== undefined) {
    console.log(`Tools of organization ${config.defaultOrganizationId} need no token: ${service.url}/mcp`);
  }
}

/** The first signal finishes what is under way; a second one ends the process at once. */
function stopOnSignal(service: Service): void {
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    void service[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function announce({ url, credentials, embeddedOtherwise }: Service, kept: string): void {
  console.log(`Memory Service listens on ${url}`);
  for (const { organizationId, fingerprint } of embeddedOtherwise) {
    console.error(
      `WARNING: organization ${organizationId} was embedded with ${fingerprint}. Its writes and searches are refused ` +
        'until that configuration is restored or "npm run reembed" has run.',
    );
  }
  if (!credentials) return;
  const { organizationId, token } = credentials;
  const request = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  console.log(`  organization  ${organizationId}
  token         ${token}
  both are kept in ${kept}

Store a memory:
  curl -s ${url}/api/memories ${request} -d '{"content": "Deploys run on Fridays at noon."}'

Find it:
  curl -s ${url}/api/memories/search ${request} -d '{"query": "when do we deploy"}'

The contract is at ${url}/openapi.yaml`);
}

/** What the operator can mend: its message says how, and a stack would only hide it. */
function isExpected(error: unknown): error is Error {
  return error instanceof ConfigError || error instanceof StoreOpenError;
}
