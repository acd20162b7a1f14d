import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../adapters/sqlite/store.js';
import { BenchClient } from '../bench/client.js';
import { foundOrganizations, type Place } from '../testing/processes/found-organizations.js';
import { ServerProcess } from '../testing/processes/server-process.js';
import type { Collection } from './dataset.js';
import type { ProviderEnv } from './providers.js';

const BATCH = 50;
const NO_LIMIT = '10000000';
const ENV = { SERVICE_RATE_LIMIT_INGEST: NO_LIMIT, SERVICE_RATE_LIMIT_SEARCH: NO_LIMIT };

/** A built server on a folder of its own, with an organization for each collection. */
export class Service implements AsyncDisposable {
  private constructor(
    private readonly folder: string,
    private readonly server: ServerProcess,
    private readonly places: Place[],
  ) {}

  static async start(dist: string, organizations: number, provider: ProviderEnv): Promise<Service> {
    const env = { ...ENV, ...provider };
    const folder = await mkdtemp(join(tmpdir(), 'memory-service-eval-'));
    const dataDir = join(folder, 'data');
    // Makes the store and its key.
    const first = await ServerProcess.start(dist, dataDir, env);
    await first.stop('SIGTERM');
    const places = await foundOrganizations(await openSqliteStore({ dataDir }), organizations);
    return new Service(folder, await ServerProcess.start(dist, dataDir, env), places);
  }

  /** Stores the documents of a collection in an organization that nothing is stored in. */
  async store({ documents, metadata }: Collection): Promise<Asked> {
    const place = this.places.pop();
    if (!place) throw new Error('there are more collections than organizations');
    const client = new BenchClient(this.server.url, place.token);
    const keysOfId = new Map<string, string[]>();
    const entries = [...documents];
    for (let at = 0; at < entries.length; at += BATCH) {
      const batch = entries.slice(at, at + BATCH);
      const items = batch.map(([key, content]) => ({ content, metadata: metadata?.get(key) }));
      const { results } = (await client.ok('POST', '/api/memories/batch', { items })) as { results: { id: string }[] };
      for (const [n, { id }] of results.entries()) {
        keysOfId.set(id, [...(keysOfId.get(id) ?? []), batch[n]?.[0] ?? '']);
      }
    }
    return new Asked(client, keysOfId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface Found {
  /** Keys of the documents with this content. */
  keys: readonly string[];
  content: string;
}

/** A stored collection. */
export class Asked implements Disposable {
  /** @param keysOfId the documents of each memory: equal texts are stored once */
  constructor(
    private readonly client: BenchClient,
    private readonly keysOfId: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** Returns the best results first. */
  async search(query: string, mode: string, limit: number): Promise<Found[]> {
    const answer = await this.client.ok('POST', '/api/memories/search', { query, mode, limit });
    const { results } = answer as { results: { id: string; content: string }[] };
    return results.map(({ id, content }) => ({ keys: this.keysOfId.get(id) ?? [], content }));
  }

  [Symbol.dispose](): void {
    this.client.close();
  }
}
