import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../testing/processes/free-port.js';
import { BenchClient } from '../client.js';
import { installFromPypi } from './install.js';
import type { Peer, PeerItem, PeerQuery } from './peer.js';

const VERSION = '1.5.9';
const DATABASE = '/api/v2/tenants/default_tenant/databases/default_database/collections';
/** The command line inside the wheel. The npm package has the same one, but its binary needs glibc 2.38. */
const COMMAND = 'import sys, chromadb_rust_bindings as chroma; chroma.cli(["chroma", *sys.argv[1:]])';
/** Neighbours that a search of the graph keeps. The first is the default. */
const WIDTHS = [100, 200, 400, 800, 1_600];
const POLL_MS = 5;

/** The server of chroma, with its defaults and cosine distance. */
export class Chroma implements Peer {
  readonly name = 'chroma';
  readonly version = VERSION;
  #width = 0;
  #child: ChildProcess | undefined;
  #client: BenchClient | undefined;
  #collection = '';

  private constructor(
    private readonly modules: string,
    private readonly folder: string,
  ) {}

  /** @param folder the folder of its data */
  static async install(folder: string): Promise<Chroma> {
    return new Chroma(await installFromPypi('chroma', `chromadb==${VERSION}`), folder);
  }

  async start(): Promise<void> {
    const port = await freePort();
    const args = ['-c', COMMAND, 'run', '--path', this.folder, '--host', '127.0.0.1', '--port', String(port)];
    const env = { ...process.env, PYTHONPATH: this.modules };
    this.#child = spawn('python3', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    this.#client = new BenchClient(`http://127.0.0.1:${port}`);
    while (!(await this.#isReady())) await setTimeout(POLL_MS);
    const collection = { name: 'memories', configuration: { hnsw: { space: 'cosine' } }, get_or_create: true };
    this.#collection = ((await this.#send('POST', '', collection)) as { id: string }).id;
  }

  async stop(): Promise<void> {
    this.#client?.close();
    if (!this.#child || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  async add(items: readonly PeerItem[]): Promise<void> {
    await this.#send('POST', `/${this.#collection}/add`, {
      ids: items.map(({ id }) => id),
      documents: items.map(({ content }) => content),
      metadatas: items.map(({ kind }) => ({ kind })),
      embeddings: items.map(({ vector }) => vector),
    });
  }

  async search({ vector, limit, kind }: PeerQuery): Promise<string[]> {
    const answer = await this.#send('POST', `/${this.#collection}/query`, {
      query_embeddings: [vector],
      n_results: limit,
      include: ['documents', 'metadatas', 'distances'],
      ...(kind !== undefined && { where: { kind } }),
    });
    return (answer as { ids: string[][] }).ids[0] ?? [];
  }

  async widen(): Promise<string | undefined> {
    const width = WIDTHS[this.#width + 1];
    if (width === undefined) return undefined;
    this.#width += 1;
    const new_configuration = { hnsw: { ef_search: width } };
    await this.#send('PUT', `/${this.#collection}`, { new_configuration });
    // Otherwise the graph in memory keeps its former setting.
    await this.stop();
    await this.start();
    return `ef_search ${width}`;
  }

  async #isReady(): Promise<boolean> {
    if (this.#child?.exitCode !== null) throw new Error('chroma ended before it listened');
    try {
      return (await this.#client?.send('GET', '/api/v2/heartbeat'))?.status === 200;
    } catch {
      return false;
    }
  }

  async #send(method: string, path: string, body: unknown): Promise<unknown> {
    if (!this.#client) throw new Error('chroma does not run');
    return this.#client.ok(method, `${DATABASE}${path}`, body);
  }
}
