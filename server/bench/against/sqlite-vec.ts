import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { DIMENSIONS } from '../world.js';
import type { Library } from './libraries.js';

/** Opens a SQLite database with the extension sqlite-vec, which compares every vector in each search. */
export async function openSqliteVec(modules: string, folder: string): Promise<Library> {
  const load = createRequire(join(modules, 'peer.cjs'));
  const { getLoadablePath } = load('sqlite-vec') as { getLoadablePath(): string };
  const database = new DatabaseSync(join(folder, 'memories.db'), { allowExtension: true });
  database.enableLoadExtension(true);
  database.loadExtension(getLoadablePath());
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE VIRTUAL TABLE IF NOT EXISTS memories USING
      vec0(vector float[${DIMENSIONS}] distance_metric=cosine, kind text, +id text, +content text)`);
  const insert = database.prepare('INSERT INTO memories (vector, kind, id, content) VALUES (?, ?, ?, ?)');
  const select = (condition: string) =>
    database.prepare(`SELECT id, content, kind FROM memories WHERE vector MATCH ? AND k = ? ${condition}`);
  const [all, ofKind] = [select(''), select('AND kind = ?')];
  return {
    async add(items) {
      database.exec('BEGIN');
      for (const { vector, kind, id, content } of items) insert.run(toBlob(vector), kind, id, content);
      database.exec('COMMIT');
    },
    async search({ vector, limit, kind }) {
      const bound = [toBlob(vector), limit] as const;
      const found = kind === undefined ? all.all(...bound) : ofKind.all(...bound, kind);
      return found as { id: string; content: string; kind: string }[];
    },
  };
}

function toBlob(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}
