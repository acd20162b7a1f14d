import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore } from '../adapters/sqlite/store.js';
import type { Store } from '../ports/store.js';
import { foundOrganizations, type Place } from '../testing/processes/found-organizations.js';
import { builtModule, ServerProcess } from '../testing/processes/server-process.js';
import { BenchClient, newAgent } from './client.js';
import type { CorpusItem } from './corpus.js';

export const DIMENSIONS = 1_024;
/** Calls for one latency. */
export const ROUNDS = 600;

const NO_LIMIT = '10000000';
const LOOP_DELAY_WAIT_MS = 200;

/** The storage of the server. */
export interface Backing {
  env: Readonly<Record<string, string>>;
  /** A command that the server runs under. */
  tracer?: readonly string[];
  /** Opens the store directly, while no server runs. */
  openStore(dataDir: string): Promise<Store>;
}

/**
 * Leaves out the certificates that a shell may add to those of Node. No server that is measured needs them, and reading them
 * takes longer than the rest of a start of Node.
 */
export const NO_CERTIFICATES = { NODE_EXTRA_CA_CERTS: '' };

/** The embedded store. */
export const EMBEDDED: Backing = { env: NO_CERTIFICATES, openStore: (dataDir) => openSqliteStore({ dataDir }) };

/** The built server on its own folder, its organizations, and the memories stored in it. */
export class World {
  readonly stored: CorpusItem[] = [];
  private clients: BenchClient[] = [];
  /** A client of an organization without memories. */
  stranger: BenchClient;

  private constructor(
    private readonly dist: string,
    private readonly folder: string,
    private readonly backing: Backing,
    private readonly places: readonly Place[],
    private readonly strangersToken: string,
    private running: ServerProcess,
  ) {
    this.stranger = new BenchClient(running.url, strangersToken);
    this.connect();
  }

  static async start(dist: string, folder: string, organizations: number, backing: Backing = EMBEDDED): Promise<World> {
    const first = await startServer(dist, folder, backing);
    await first.stop('SIGTERM');
    const [stranger, ...others] = await foundOrganizations(
      await backing.openStore(join(folder, 'data')),
      organizations,
    );
    const places = [first.credentials, ...others];
    return new World(dist, folder, backing, places, stranger?.token ?? '', await startServer(dist, folder, backing));
  }

  get server(): ServerProcess {
    return this.running;
  }

  get organizations(): number {
    return this.places.length;
  }

  /** The organizations in which memories are stored in turn. */
  get organizationIds(): readonly string[] {
    return this.places.map(({ organizationId }) => organizationId);
  }

  /** Returns a client of the organization of the n-th memory. */
  client(n: number): BenchClient {
    return this.clients[n % this.clients.length] as BenchClient;
  }

  /** Ends the server. After that, only `start` may be called. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.running.stop(signal);
  }

  /** Starts the server on its stored data. */
  async start(): Promise<void> {
    this.running = await startServer(this.dist, this.folder, this.backing);
    this.connect();
  }

  /** Returns the server's event loop delay since the last call, in milliseconds. */
  async loopDelay(): Promise<{ p99: number; max: number }> {
    return this.processState();
  }

  /** Returns the processor time of all threads of the server since its start. */
  async processorMs(): Promise<number> {
    return (await this.processState()).processorMs;
  }

  async stop(): Promise<void> {
    for (const client of [...this.clients, this.stranger]) client.close();
    await this.running.stop('SIGKILL');
  }

  private async processState(): Promise<{ p99: number; max: number; processorMs: number }> {
    this.running.signal('SIGUSR2');
    await new Promise((resolve) => setTimeout(resolve, LOOP_DELAY_WAIT_MS));
    const state = await readFile(loopDelayFile(this.folder), 'utf8');
    return JSON.parse(state) as { p99: number; max: number; processorMs: number };
  }

  private connect(): void {
    for (const client of [...this.clients, this.stranger]) client.close();
    const agent = newAgent();
    this.stranger = new BenchClient(this.running.url, this.strangersToken, agent);
    this.clients = this.places.map(({ token }) => new BenchClient(this.running.url, token, agent));
  }
}

function startServer(dist: string, folder: string, backing: Backing): Promise<ServerProcess> {
  const env = {
    ...backing.env,
    SERVICE_EMBEDDING_PROVIDER: 'local',
    SERVICE_EMBEDDING_DIMENSIONS: String(DIMENSIONS),
    SERVICE_RATE_LIMIT_INGEST: NO_LIMIT,
    SERVICE_RATE_LIMIT_SEARCH: NO_LIMIT,
    BENCH_LOOP_DELAY: loopDelayFile(folder),
  };
  const nodeOptions = ['--import', builtModule('bench/loop-delay.js')];
  return ServerProcess.start(dist, join(folder, 'data'), env, nodeOptions, backing.tracer);
}

function loopDelayFile(folder: string): string {
  return join(folder, 'loop-delay.json');
}
