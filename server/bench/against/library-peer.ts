import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtModule } from '../../testing/processes/server-process.js';
import { BenchClient } from '../client.js';
import { firstLine } from '../floors.js';
import { NO_CERTIFICATES } from '../world.js';
import { installFromNpm } from './install.js';
import { LIBRARIES, type LibraryName } from './libraries.js';
import type { Peer, PeerItem, PeerQuery } from './peer.js';

/** A library behind a bare HTTP server in a process of its own. */
export class LibraryPeer implements Peer {
  #child: ChildProcess | undefined;
  #client: BenchClient | undefined;

  private constructor(
    readonly name: LibraryName,
    readonly version: string,
    private readonly modules: string,
    private readonly folder: string,
  ) {}

  /** @param folder the folder of its data */
  static async install(name: LibraryName, folder: string): Promise<LibraryPeer> {
    const { packages } = LIBRARIES[name];
    const version = packages[0].slice(packages[0].lastIndexOf('@') + 1);
    return new LibraryPeer(name, version, await installFromNpm(name, packages), folder);
  }

  async start(): Promise<void> {
    const args = [builtModule('bench/against/library-process.js'), this.name, this.modules, this.folder];
    const env = { ...process.env, ...NO_CERTIFICATES };
    this.#child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#client = new BenchClient(`http://127.0.0.1:${await firstLine(this.#child)}`);
  }

  async stop(): Promise<void> {
    this.#client?.close();
    if (!this.#child || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  async add(items: readonly PeerItem[]): Promise<void> {
    await this.#client?.ok('POST', '/add', items);
  }

  async search(query: PeerQuery): Promise<string[]> {
    const found = await this.#client?.ok('POST', '/search', query);
    return (found as { id: string }[]).map(({ id }) => id);
  }

  async widen(): Promise<undefined> {}
}
