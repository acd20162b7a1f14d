import { join } from 'node:path';
import { openSqliteStore } from '../adapters/sqlite/store.js';
import { BenchClient } from '../bench/client.js';
import { Corpus } from '../bench/corpus.js';
import { foundOrganizations, type Place } from '../testing/processes/found-organizations.js';
import { builtPackage, ServerProcess } from '../testing/processes/server-process.js';
import type { Attack } from './attack.js';

const BYSTANDERS = 12;
const BYSTANDERS_MEMORIES = 100;
const BATCH = 50;
const NO_LIMIT = '10000000';

/** Rate limits that no attack reaches. All other limits keep their defaults. */
export const UNLIMITED: Readonly<Record<string, string>> = {
  SERVICE_RATE_LIMIT_INGEST: NO_LIMIT,
  SERVICE_RATE_LIMIT_SEARCH: NO_LIMIT,
  SERVICE_RATE_LIMIT_ADMIN: NO_LIMIT,
  SERVICE_RATE_LIMIT_TOOLS: NO_LIMIT,
  SERVICE_RATE_LIMIT_SIGN_IN: NO_LIMIT,
  SERVICE_RATE_LIMIT_SIGN_IN_ADDRESS: NO_LIMIT,
};

/** The built server on its own folder, and the organizations of the attacks and bystanders. */
export class Target {
  private constructor(
    readonly server: ServerProcess,
    readonly bystanders: readonly Place[],
    private readonly places: ReadonlyMap<string, readonly Place[]>,
  ) {}

  /** Starts the server with its defaults, on data that bystanders and attacks stored before. */
  static async start(folder: string, attacks: readonly Attack[], isShort: boolean): Promise<Target> {
    const [bystanders = [], ...others] = await found(folder, [
      BYSTANDERS,
      ...attacks.map(({ tenants = 1 }) => tenants),
    ]);
    const unlimited = await start(folder, UNLIMITED);
    await storeOrdinary(unlimited.url, bystanders);
    for (const [n, attack] of attacks.entries()) {
      const clients = (others[n] ?? []).map(({ token }) => new BenchClient(unlimited.url, token));
      await attack.prepare?.(clients, isShort);
      for (const client of clients) client.close();
    }
    await unlimited.stop('SIGTERM');
    const places = new Map(attacks.map(({ name }, n) => [name, others[n] ?? []]));
    return new Target(await start(folder), bystanders, places);
  }

  get port(): number {
    return Number(new URL(this.server.url).port);
  }

  placesOf({ name }: Attack): readonly Place[] {
    return this.places.get(name) ?? [];
  }
}

/** Founds organizations on a new folder, as many for each attack as `counts` says. */
export async function found(folder: string, counts: readonly number[]): Promise<Place[][]> {
  const first = await start(folder);
  await first.stop('SIGTERM');
  const total = counts.reduce((sum, count) => sum + count, 0);
  const places = await foundOrganizations(await openSqliteStore({ dataDir: dataOf(folder) }), total);
  return counts.map((count) => places.splice(0, count));
}

export function start(folder: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return ServerProcess.start(builtPackage('server'), dataOf(folder), { SERVICE_LOG_LEVEL: 'error', ...env });
}

function dataOf(folder: string): string {
  return join(folder, 'data');
}

async function storeOrdinary(url: string, places: readonly Place[]): Promise<void> {
  const corpus = new Corpus(1);
  for (const { token } of places) {
    const client = new BenchClient(url, token);
    await storeBatches(client, corpus.take(BYSTANDERS_MEMORIES));
    client.close();
  }
}

/** Stores memories in batches. */
export async function storeBatches(client: BenchClient, items: readonly object[]): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) {
    await client.ok('POST', '/api/memories/batch', { items: items.slice(at, at + BATCH) });
  }
}
