import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnDatabase, ownDatabase } from './own-database.js';

export interface Credentials {
  baseUrl: string;
  organizationId: string;
  token: string;
}

/** A running server. Disposing of it stops it. */
export interface ServerProcess extends AsyncDisposable {
  readonly credentials: Credentials;
}

export interface ServerOptions {
  /** The built entry file. */
  script: string;
  dataDir: string;
  /** Called if the server exits by itself. */
  onExit: (error: Error) => void;
  signal: AbortSignal;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 30_000;
const KEPT_OUTPUT = 4_000;
const LISTENS = /listens on https?:\/\/\S+\n/;

/** Code that runs in the server and ends it when its parent exits, even if the parent is killed. */
const STOP_WITH_PARENT =
  'process.once("disconnect", () => process.kill(process.pid, "SIGTERM")); process.channel.unref();';

/**
 * Starts the server on a free port and waits until it listens.
 *
 * @throws {Error} with the output of the server, if it does not start
 */
export async function startServer({ script, dataDir, onExit, signal }: ServerOptions): Promise<ServerProcess> {
  signal.throwIfAborted();
  const database = ownDatabase(process.env);
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${STOP_WITH_PARENT}`, script], {
    env: serverEnvironment(dataDir, database),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group, so that Ctrl-C reaches the server only once, through the demo.
    detached: true,
  });
  const output = keepOutput(child);
  // Not 'exit', which may come before the last output was read.
  const exited = once(child, 'close');
  try {
    await untilListening(child, output, signal);
    const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
    let stopping = false;
    void exited.then(() => stopping || onExit(exitError(child, output)));
    return {
      credentials,
      async [Symbol.asyncDispose]() {
        stopping = true;
        await stop(child, exited);
        await database?.drop();
      },
    };
  } catch (error) {
    await stop(child, exited);
    throw error;
  }
}

/** Passes only the settings of the store from the environment, so that the demo is the same on every machine. */
function serverEnvironment(dataDir: string, database: OwnDatabase | undefined): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'));
  return {
    ...Object.fromEntries(inherited),
    APP_ENV: 'local',
    HOST: '127.0.0.1',
    PORT: '0',
    SERVICE_DATA_DIR: dataDir,
    ...(database && { MONGODB_URI: database.uri, SERVICE_STORE: 'mongodb' }),
    SERVICE_RATE_LIMIT_INGEST: '100000',
    SERVICE_RATE_LIMIT_SEARCH: '100000',
  };
}

interface Output {
  stdout: string;
  stderr: string;
}

/** Keeps the last output of the server. Reading it also keeps the pipes from filling up. */
function keepOutput(child: ChildProcess): Output {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-KEPT_OUTPUT);
    });
  }
  return output;
}

async function untilListening(child: ChildProcess, output: Output, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const listening = new Promise<void>((resolve) => {
    child.stdout?.on('data', () => LISTENS.test(output.stdout) && resolve());
  });
  const ended = once(child, 'close', { signal: until }).then(() => {
    throw exitError(child, output);
  });
  try {
    await Promise.race([listening, ended]);
  } catch (error) {
    signal.throwIfAborted();
    if (!until.aborted) throw error;
    throw new Error(`The server did not listen within ${START_TIMEOUT_MS / 1_000} s. ${lastWords(output)}`);
  } finally {
    ended.catch(() => undefined);
    done.abort();
  }
}

function exitError({ exitCode, signalCode }: ChildProcess, output: Output): Error {
  const how = signalCode ? `by ${signalCode}` : `with code ${exitCode}`;
  return new Error(`The server exited ${how}. ${lastWords(output)}`);
}

function lastWords({ stderr }: Output): string {
  return stderr.trim() === '' ? 'It gave no reason.' : `It said:\n${stderr.trim()}`;
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(patience);
}
