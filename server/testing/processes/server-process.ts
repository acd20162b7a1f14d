import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Credentials, readCredentials } from '../../config/credentials.js';

const FIRST_LINE = /^Memory Service listens on (\S+)$/;

/** Runs the built server as a process, for tests of kills, restarts and memory. */
export class ServerProcess implements AsyncDisposable {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly credentials: Credentials,
  ) {}

  /**
   * Starts the server on a free port.
   *
   * @param dist the folder of the built server
   * @param nodeOptions options of Node, not of the server
   * @param tracer a command that runs the server and stays the spawned process
   */
  static async start(
    dist: string,
    dataDir: string,
    env: Readonly<Record<string, string>> = {},
    nodeOptions: readonly string[] = [],
    tracer: readonly string[] = [],
  ): Promise<ServerProcess> {
    const [command = process.execPath, ...args] = [...tracer, process.execPath, ...nodeOptions];
    const child = spawn(command, [...args, join(dist, 'main.cjs')], {
      env: { ...process.env, PORT: '0', SERVICE_DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await firstUrl(child);
    // Unread output would fill the pipe and block the server.
    child.stdout?.resume();
    const credentials = readCredentials(dataDir);
    if (!credentials) throw new Error('the server wrote no credentials');
    return new ServerProcess(child, url, { ...credentials, baseUrl: url });
  }

  /** Returns current and peak resident memory in bytes; undefined if the system does not report it. */
  async memory(): Promise<{ resident: number; peak: number } | undefined> {
    try {
      const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8');
      const kibibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
      return { resident: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 };
    } catch {
      return undefined;
    }
  }

  /** The exit code or signal of the process; undefined while it runs. */
  get ended(): number | NodeJS.Signals | undefined {
    return this.child.exitCode ?? this.child.signalCode ?? undefined;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Stops the process and waits for its end. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.ended === undefined) {
      const ended = once(this.child, 'exit');
      this.child.kill(signal);
      await ended;
    }
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
  }
}

/** Returns the `dist` folder of a package, from its sources and from its build alike. */
export function builtPackage(name: 'server' | 'mcp' | 'cli' | 'conformance'): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const root = join(here, here.includes('/dist/') ? '../../../../..' : '../../..');
  return join(root, name, 'dist');
}

/** Returns a compiled module of the server that is not published: a program for tests or benchmarks. */
export function builtModule(path: string): string {
  return join(builtPackage('server'), 'modules', path);
}

async function firstUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the server has no standard output');
  const lines = createInterface({ input: child.stdout });
  try {
    for await (const line of lines) {
      const url = FIRST_LINE.exec(line)?.[1];
      if (url) return url;
    }
  } finally {
    lines.close();
  }
  throw new Error(`the server ended with ${child.exitCode ?? child.signalCode} before it listened`);
}
