import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Library } from './libraries.js';
import type { PeerItem } from './peer.js';

interface Found extends Omit<PeerItem, 'vector'> {
  _distance: number;
}

interface Query {
  distanceType(type: 'cosine'): Query;
  select(columns: string[]): Query;
  where(condition: string): Query;
  limit(count: number): Query;
  toArray(): Promise<Found[]>;
}

interface Table {
  add(rows: readonly PeerItem[]): Promise<unknown>;
  vectorSearch(vector: readonly number[]): Query;
}

interface Connection {
  tableNames(): Promise<string[]>;
  openTable(name: string): Promise<Table>;
  createTable(name: string, rows: readonly PeerItem[]): Promise<Table>;
}

const TABLE = 'memories';

/** Opens LanceDB without an index, as a new table is: each search compares every vector. */
export async function openLance(modules: string, folder: string): Promise<Library> {
  const load = createRequire(join(modules, 'peer.cjs'));
  const { connect } = load('@lancedb/lancedb') as { connect(folder: string): Promise<Connection> };
  const connection = await connect(folder);
  let table = (await connection.tableNames()).includes(TABLE) ? await connection.openTable(TABLE) : undefined;
  return {
    async add(items) {
      if (table) await table.add(items);
      else table = await connection.createTable(TABLE, items);
    },
    async search({ vector, limit, kind }) {
      if (!table) return [];
      const query = table.vectorSearch(vector).distanceType('cosine').limit(limit);
      const columns = query.select(['id', 'content', 'kind', '_distance']);
      const found = await (kind === undefined ? columns : columns.where(`kind = '${kind}'`)).toArray();
      return found.map(({ id, content, kind }) => ({ id, content, kind }));
    },
  };
}
