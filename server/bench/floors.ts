import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import usearch from 'usearch';
import { builtModule } from '../testing/processes/server-process.js';
import { BenchClient } from './client.js';
import { seededRandom } from './corpus.js';
import { type Latency, timeEach } from './timing.js';

/** Median milliseconds of the work that no implementation can avoid. */
export interface Floors {
  /** Bare Koa that reads a memory and answers with one. */
  koa: number;
  /** Bare Koa that reads a query and answers with ten memories. */
  koaSearch: number;
  /** One row committed with fsync. */
  commit: number;
  /** One scan of an organization's vectors. */
  scan: number;
}

/** Returns the sum of some floors, for a row of the table. */
export function floorOf(floors: Floors, ...parts: (keyof Floors)[]): { floor: number; floorName: string } {
  return { floor: parts.reduce((sum, part) => sum + floors[part], 0), floorName: parts.join(' + ') };
}

const ROUNDS = 600;
/** How often bare Koa reads all bodies before it is measured. It is small, so it is fully compiled by then. */
const WARM_UP_ROUNDS = 4;
const RESULTS = 10;
const THREADS = 1;
/** The number of rows for which an int8 matrix is scanned; they are then compared exactly. */
const OVERSAMPLED = 50;

/** Measures bare Koa that reads these bodies and answers each with `answer`, or with the body itself. */
export async function bareKoa(bodies: readonly unknown[], answer?: unknown): Promise<Latency> {
  const child = spawn(process.execPath, [builtModule('bench/bare-koa.js')], {
    env: { ...process.env, ...(answer !== undefined && { BENCH_ANSWER: JSON.stringify(answer) }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const client = new BenchClient(`http://127.0.0.1:${await firstLine(child)}`);
  try {
    const rounds = Array.from({ length: WARM_UP_ROUNDS + 1 }, () => bodies).flat();
    return await timeEach(rounds, (body) => client.ok('POST', '/', body), WARM_UP_ROUNDS * bodies.length);
  } finally {
    client.close();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

/** Measures the commit of one row with its vector, with fsync. */
export async function bareCommit(folder: string, dimensions: number): Promise<Latency> {
  const database = new DatabaseSync(join(folder, 'floor.db'));
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (content TEXT, vector BLOB) STRICT',
  );
  const insert = database.prepare('INSERT INTO row VALUES (?, ?)');
  const vector = new Uint8Array(dimensions * Float32Array.BYTES_PER_ELEMENT);
  try {
    return await timeEach(Array.from({ length: ROUNDS }), () => insert.run('x'.repeat(250), vector));
  } finally {
    database.close();
  }
}

/** Measures one scan of an int8 matrix for the rows that would be compared exactly. */
export async function bareScan(rows: number, dimensions: number): Promise<Latency> {
  const random = seededRandom(rows);
  const codes = () => Math.floor(random() * 255) - 127;
  const matrix = Int8Array.from({ length: rows * dimensions }, codes);
  const queries = Array.from({ length: ROUNDS }, () => Int8Array.from({ length: dimensions }, codes));
  return timeEach(queries, (query) =>
    usearch.exactSearch(matrix, query, dimensions, Math.max(OVERSAMPLED, RESULTS), usearch.MetricKind.IP, THREADS),
  );
}

/** Returns the first line that a process prints. */
export async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('the process has no standard output');
  const [chunk] = (await once(stdout, 'data')) as [Buffer];
  return chunk.toString().trim();
}
