import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Credentials, readCredentials } from '../../config/credentials.js';

const FIRST_LINE = /^Memory Service listens on (\S+)$/;

/** The built server as a process of its own, for what only a process shows: kills, restarts, memory. */
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
   * @param tracer a command that runs it in a process that stays the one spawned
   */
  static async start(
    dist: string,
    dataDir: string,
    env: Readonly<Record<string, string>> = {},
    nodeOptions: readonly string[] = [],
    tracer: readonly string[] = [],
  ): Promise<ServerProcess> {
    const [command = process.execPath, ...args] = [...tracer, process.execPath, ...nodeOptions];
    const child = spawn(command, [...args, join(dist, 'main.js')], {
      env: { ...process.env, PORT: '0', SERVICE_DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await firstUrl(child);
    // Its other lines are not read: they must not fill the pipe.
    child.stdout?.resume();
    const credentials = await readCredentials(dataDir);
    if (!credentials) throw new Error('the server wrote no credentials');
    return new ServerProcess(child, url, { ...credentials, baseUrl: url });
  }

  /** Resident memory now and at its highest, in bytes; undefined where the system does not tell. */
  async memory(): Promise<{ resident: number; peak: number } | undefined> {
    try {
      const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8');
      const kibibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
      return { resident: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 };
    } catch {
      return undefined;
    }
  }

  /** The exit code or the signal that the process ended with; undefined while it runs. */
  get ended(): number | NodeJS.Signals | undefined {
    return this.child.exitCode ?? this.child.signalCode ?? undefined;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends the process and waits for its end. */
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

/** The folder of what `npm run build` makes of a package, the same from the sources and from what is built of them. */
export function builtPackage(name: 'server' | 'mcp' | 'cli' | 'conformance'): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const root = join(here, here.includes('/dist/') ? '../../../../..' : '../../..');
  return join(root, name, 'dist');
}

/** A compiled module of the server that is not published: a program for tests or measurements. */
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
