import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtPackage, ServerProcess } from '../testing/server-process.js';
import { BenchClient } from './client.js';
import { Corpus, type CorpusItem, RARE_KIND, SMALL_PROJECT } from './corpus.js';
import { bareCommit, bareKoa, bareScan } from './floors.js';
import { printTable, type Row } from './table.js';
import { timeEach } from './timing.js';
import { Truth } from './truth.js';

const DIMENSIONS = 1_024;
const BATCH = 50;
const ROUNDS = 300;
const RECALL_QUERIES = 100;
const RESULTS = 10;
const NO_LIMIT = '10000000';
const SEED = 42;

/** Measures the built server over HTTP, beside the floors that it stands on, all in one run. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { sizes: { type: 'string', default: '10000,50000' } } });
  const sizes = values.sizes.split(',').map(Number);
  const folder = await mkdtemp(join(tmpdir(), 'memory-service-bench-'));
  try {
    await measure(folder, sizes);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, sizes: readonly number[]): Promise<void> {
  const dist = builtPackage();
  const corpus = new Corpus(SEED);
  const truth = new Truth(Math.max(...sizes) + sizes.length * ROUNDS, DIMENSIONS);
  const dataDir = join(folder, 'data');
  const env = {
    SERVICE_EMBEDDING_PROVIDER: 'local',
    SERVICE_EMBEDDING_DIMENSIONS: String(DIMENSIONS),
    SERVICE_RATE_LIMIT_INGEST: NO_LIMIT,
    SERVICE_RATE_LIMIT_SEARCH: NO_LIMIT,
  };
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, ${DIMENSIONS} dimensions\n`,
  );

  let server = await ServerProcess.start(dist, dataDir, env);
  try {
    let stored = 0;
    for (const size of sizes) {
      const rows: Row[] = [];
      const client = new BenchClient(server.url, server.credentials.token);
      const loaded = corpus.take(size - stored);
      rows.push(await measureLoad(client, truth, stored, loaded));
      stored = size;
      const koa = (await bareKoa(dist, corpus.take(ROUNDS))).p50;
      const commit = (await bareCommit(await mkdtemp(join(folder, 'floor-')), DIMENSIONS)).p50;
      const scan = (await bareScan(size, DIMENSIONS)).p50;
      rows.push(...(await measureReads(client, corpus, truth, loaded, { koa, scan })));
      rows.push(await measureSingle(client, corpus, truth, { koa, commit, scan }));
      client.close();
      stored += ROUNDS;

      rows.push({ what: 'resident memory', value: megabytes((await server.memory())?.resident) });
      rows.push({ what: 'peak memory', value: megabytes((await server.memory())?.peak) });
      await server.stop('SIGKILL');
      const start = performance.now();
      server = await ServerProcess.start(dist, dataDir, env);
      rows.push(await measureRestart(server, start, loaded));
      printTable(`${size} memories`, rows, [
        ['bare Koa p50', koa],
        ['bare commit p50', commit],
        ['bare scan p50', scan],
      ]);
    }
  } finally {
    await server.stop('SIGKILL');
  }
}

async function measureLoad(
  client: BenchClient,
  truth: Truth,
  stored: number,
  items: readonly CorpusItem[],
): Promise<Row> {
  const written: { id: string; content: string }[] = [];
  let created = 0;
  const start = performance.now();
  for (let at = 0; at < items.length; at += BATCH) {
    const answer = (await client.ok('POST', '/api/memories/batch', { items: items.slice(at, at + BATCH) })) as {
      results: { id: string; content: string; outcome: string }[];
    };
    const fresh = answer.results.filter(({ outcome }) => outcome === 'created');
    created += fresh.length;
    written.push(...fresh);
  }
  const seconds = (performance.now() - start) / 1_000;
  await truth.add(written);
  return {
    what: `batch ingest from ${stored}, de-duplicated (${created} of ${items.length} new)`,
    value: `${Math.round(items.length / seconds)} /s`,
  };
}

interface Floors {
  koa: number;
  commit: number;
  scan: number;
}

async function measureSingle(client: BenchClient, corpus: Corpus, truth: Truth, floors: Floors): Promise<Row> {
  const written: { id: string; content: string }[] = [];
  const latency = await timeEach(corpus.take(ROUNDS), async (item) => {
    written.push((await client.ok('POST', '/api/memories', item)) as { id: string; content: string });
  });
  await truth.add(written);
  return {
    what: 'single ingest, de-duplicated',
    latency,
    floor: floors.koa + floors.commit + floors.scan,
    floorName: 'Koa + commit + scan',
  };
}

async function measureReads(
  client: BenchClient,
  corpus: Corpus,
  truth: Truth,
  loaded: readonly CorpusItem[],
  floors: Omit<Floors, 'commit'>,
): Promise<Row[]> {
  const queries = Array.from({ length: ROUNDS }, (_, n) =>
    corpus.query(loaded[(n * 7) % loaded.length]?.content ?? ''),
  );
  const floor = { floor: floors.koa + floors.scan, floorName: 'Koa + scan' };
  const search = (options: object) => (query: string) =>
    client.ok('POST', '/api/memories/search', { query, limit: RESULTS, ...options });
  return [
    { what: 'search', latency: await timeEach(queries, search({})), ...floor },
    { what: 'search, 2 % filter', latency: await timeEach(queries, search({ filter: { kind: RARE_KIND } })), ...floor },
    { what: 'search, 98 % filter', latency: await timeEach(queries, search({ filter: { kind: 'note' } })), ...floor },
    { what: 'search, recency weighted', latency: await timeEach(queries, search({ recencyWeight: 0.3 })), ...floor },
    { what: 'search, hybrid', latency: await timeEach(queries, search({ mode: 'hybrid' })), ...floor },
    { what: 'results of a filter that matches 6', value: await countSmallProject(client, queries) },
    { what: `recall@${RESULTS} against the float scan`, value: (await recall(client, truth, queries)).toFixed(4) },
  ];
}

/** Of memories that are nowhere near the queries. */
async function countSmallProject(client: BenchClient, queries: readonly string[]): Promise<string> {
  const counts = new Set<number>();
  for (const query of queries.slice(0, RECALL_QUERIES)) {
    const filter = { project: SMALL_PROJECT.name };
    const answer = await client.ok('POST', '/api/memories/search', { query, limit: RESULTS, filter });
    counts.add((answer as { results: unknown[] }).results.length);
  }
  return Array.from(counts).join(' or ');
}

async function recall(client: BenchClient, truth: Truth, queries: readonly string[]): Promise<number> {
  let found = 0;
  const asked = queries.slice(0, RECALL_QUERIES);
  for (const query of asked) {
    const answer = (await client.ok('POST', '/api/memories/search', { query, limit: RESULTS })) as {
      results: { id: string }[];
    };
    const right = new Set(await truth.closest(query, RESULTS));
    found += answer.results.filter(({ id }) => right.has(id)).length;
  }
  return found / (asked.length * RESULTS);
}

async function measureRestart(server: ServerProcess, start: number, loaded: readonly CorpusItem[]): Promise<Row> {
  const client = new BenchClient(server.url, server.credentials.token);
  await client.ok('GET', '/health/ready');
  const ready = performance.now() - start;
  await client.ok('POST', '/api/memories/search', { query: loaded[0]?.content ?? 'x', limit: RESULTS });
  const searched = performance.now() - start;
  client.close();
  return {
    what: 'restart after kill -9',
    value: `ready ${Math.round(ready)} ms, first search ${Math.round(searched)} ms`,
  };
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? 'not known here' : `${Math.round(bytes / 1_048_576)} MB`;
}

await main();
