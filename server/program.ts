import { type Config, ConfigError, readConfig } from './config/config.js';
import { credentialsPath } from './config/credentials.js';
import { startIndexThread } from './early-thread.js';
import { UsageError } from './operator/usage-error.js';
import { StoreDamagedError, StoreOpenError } from './ports/store-errors.js';
import type { Service } from './service.js';

const STORE_FAILED_EXIT_CODE = 70;

type Environment = Parameters<typeof readConfig>[0];

/** Commands that run instead of the service. Each resolves to true if it succeeded. */
const COMMANDS: Readonly<Record<string, (args: readonly string[], env: Environment) => Promise<boolean>>> = {
  async check(_args, env) {
    const { checkDataFolder } = await import('./operator/check.js');
    return checkDataFolder(readConfig(env));
  },
  async dashboard(args, env) {
    const { printDashboardLink } = await import('./operator/dashboard.js');
    return printDashboardLink(readConfig(env), args);
  },
  async backup(args, env) {
    const { backUpDataFolder } = await import('./operator/backup.js');
    return backUpDataFolder(readConfig(env), args);
  },
  async verify(args) {
    const { verifyBackup } = await import('./operator/backup.js');
    return verifyBackup(args);
  },
  async restore(args, env) {
    const { restoreDataFolder } = await import('./operator/backup.js');
    return restoreDataFolder(readConfig(env), args);
  },
};

/**
 * Runs the service, or the command that the arguments name. Prints errors, and sets the exit code.
 *
 * @returns the service that runs, if any
 */
export async function run([name = '', ...args]: readonly string[], env: Environment): Promise<Service | undefined> {
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) return await serve(readConfig(env));
    outliveReader();
    process.exitCode = (await command(args, env)) ? 0 : 1;
  } catch (error) {
    console.error(isExpected(error) ? error.message : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
  return undefined;
}

/** Lets a command go on if the reader of its output, such as `head`, ends before it. */
function outliveReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

async function serve(config: Config): Promise<Service> {
  let isServing = false;
  let fault: unknown;
  const indexThread = startIndexThread(config);
  // Loading the modules of the service takes a third of the start.
  const [{ startService }, { createContainer }] = await Promise.all([import('./service.js'), import('./container.js')]);
  const onFatal = (error: unknown) => {
    fault = error;
    // Until then, the start fails by itself and closes what it opened.
    if (isServing) stopForStore(fault);
  };
  const open = () => createContainer(config, onFatal, {}, indexThread);
  const service = await startService(config, onFatal, open).catch((cause: unknown) => {
    throw fault === undefined ? cause : fault;
  });
  if (fault !== undefined) stopForStore(fault);
  isServing = true;
  stopOnSignal(service);
  announce(service, credentialsPath(config.dataDir));
  if (config.defaultOrganizationId !== undefined) {
    console.log(`Tools of organization ${config.defaultOrganizationId} need no token: ${service.url}/mcp`);
  }
  return service;
}

/** Exits immediately, because running requests must be neither written nor acknowledged. */
function stopForStore(error: unknown): never {
  console.error('The store failed and can no longer guarantee that writes are durable: stopping.', error);
  process.exit(STORE_FAILED_EXIT_CODE);
}

/** Finishes running requests and jobs at the first signal, and exits immediately at the second. */
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

function announce({ url, credentials, firstLink, embeddedOtherwise }: Service, kept: string): void {
  console.log(`Memory Service listens on ${url}`);
  for (const { organizationId, fingerprint, isServed, pending } of embeddedOtherwise) {
    const was = `organization ${organizationId} was embedded with ${fingerprint}`;
    if (isServed && pending !== undefined) {
      console.error(`${was}. It is being re-embedded with ${pending}; until then, searches use the former vectors.`);
      continue;
    }
    if (isServed) {
      console.error(`${was}, and searches still use it. Run "memory-reembed" to move it to the configured embedder.`);
      continue;
    }
    console.error(
      `WARNING: ${was}. Its writes and searches are rejected until you restore that configuration or run ` +
        '"memory-reembed".',
    );
  }
  if (!credentials) return;
  const { organizationId, token } = credentials;
  const request = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  console.log(`  organization  ${organizationId}
  token         ${token}
  both are stored in ${kept}

Store a memory:
  curl -s ${url}/api/memories ${request} -d '{"content": "Deploys run on Fridays at noon."}'

Find it:
  curl -s ${url}/api/memories/search ${request} -d '{"query": "when do we deploy"}'

The contract is at ${url}/openapi.yaml`);
  if (firstLink !== undefined) console.log(`\nOpen the dashboard, once, within 15 minutes:\n  ${firstLink}`);
}

/** Reports if the operator can correct the error. Its message says how, so no stack is printed. */
function isExpected(error: unknown): error is Error {
  return [ConfigError, StoreOpenError, StoreDamagedError, UsageError].some((type) => error instanceof type);
}
