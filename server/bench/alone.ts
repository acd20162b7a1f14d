import { type Corpus, type CorpusItem, RARE_KIND, SMALL_PROJECT } from './corpus.js';
import { type Floors, floorOf } from './floors.js';
import type { Row } from './table.js';
import { timeEach } from './timing.js';
import type { Truth } from './truth.js';
import { ROUNDS, type World } from './world.js';

export const SEARCH = '/api/memories/search';

/** Memories of a batch. */
export const BATCH = 50;
const RECALL_QUERIES = 100;
const RESULTS = 10;

interface Stored {
  id: string;
  content: string;
  outcome: string;
}

/** Fills the world up to a size in batches, one after the other. */
export async function measureLoad(world: World, corpus: Corpus, truth: Truth, size: number): Promise<Row> {
  const before = world.stored.length;
  const { created, value } = await loadBatches(world, corpus, truth, size - before);
  return { what: `batch ingest from ${before}, de-duplicated (${created} of ${size - before} new)`, value };
}

/** Loads `count` more memories in batches. Returns how many were new, and the rate. */
export async function loadBatches(
  world: World,
  corpus: Corpus,
  truth: Truth,
  count: number,
): Promise<{ created: number; value: string }> {
  const items = corpus.take(count);
  const created: Stored[] = [];
  await world.loopDelay();
  const start = performance.now();
  for (const batch of inBatches(items, BATCH * world.organizations)) {
    for (let org = 0; org < world.organizations; org++) {
      const own = batch.filter((_, at) => at % world.organizations === org);
      if (own.length === 0) continue;
      const answer = await world.client(org).ok('POST', '/api/memories/batch', { items: own });
      created.push(...(answer as { results: Stored[] }).results.filter(({ outcome }) => outcome === 'created'));
    }
  }
  const seconds = (performance.now() - start) / 1_000;
  const { p99, max } = await world.loopDelay();
  for (const item of items) world.stored.push(item);
  await truth.add(created);
  const value = `${Math.round(count / seconds)} /s, event loop late p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`;
  return { created: created.length, value };
}

/** Measures one client that writes one memory after the other. */
export async function measureSingle(world: World, corpus: Corpus, truth: Truth, floors: Floors): Promise<Row> {
  const written: Stored[] = [];
  const items = corpus.take(ROUNDS).map((item, n) => ({ item, n }));
  const latency = await timeEach(items, async ({ item, n }) => {
    written.push((await world.client(n).ok('POST', '/api/memories', item)) as Stored);
  });
  world.stored.push(...items.map(({ item }) => item));
  await truth.add(written);
  return { what: 'single ingest, de-duplicated', latency, ...floorOf(floors, 'koa', 'commit') };
}

/** Measures one client that sends one query after the other. */
export async function measureReads(world: World, corpus: Corpus, truth: Truth, floors: Floors): Promise<Row[]> {
  const questions = ask(world, corpus, ROUNDS);
  const floor = floorOf(floors, 'koaSearch', 'scan');
  const search = (options: object) => (question: Question) => searchFor(world, question, options);
  const rows: Row[] = [];
  for (const [what, options] of Object.entries(SEARCHES)) {
    rows.push({ what, latency: await timeEach(questions, search(options)), ...floor });
  }
  if (world.organizations > 1) return rows;
  rows.push({ what: 'results of a filter that matches 6', value: await countSmallProject(world, questions) });
  rows.push({ what: `recall@${RESULTS} against the float scan`, value: await recall(world, truth, questions) });
  return rows;
}

const SEARCHES = {
  search: {},
  'search, 2 % filter': { filter: { kind: RARE_KIND } },
  'search, 98 % filter': { filter: { kind: 'note' } },
  'search, recency weighted': { recencyWeight: 0.3 },
  'search, keyword': { mode: 'keyword' },
  'search, hybrid': { mode: 'hybrid' },
};

/** Ends the server and measures the time until the next one is ready and has found a memory. */
export async function measureRestart(world: World, signal: 'SIGTERM' | 'SIGKILL'): Promise<Row> {
  await world.end(signal);
  const start = performance.now();
  await world.start();
  await world.client(0).ok('GET', '/health/ready');
  const ready = performance.now() - start;
  await searchFor(world, { query: world.stored[0]?.content ?? '', n: 0 }, {});
  const searched = performance.now() - start;
  return {
    what: `restart after ${signal}`,
    value: `ready ${Math.round(ready)} ms, first search ${Math.round(searched)} ms`,
  };
}

/** A query, and the number of the memory that it is near. */
export interface Question {
  query: string;
  n: number;
}

export function ask(world: World, corpus: Corpus, count: number): Question[] {
  return Array.from({ length: count }, (_, round) => {
    const n = (round * 7) % world.stored.length;
    return { n, query: corpus.query((world.stored[n] as CorpusItem).content) };
  });
}

export function toRequest({ query }: Question): { query: string; limit: number } {
  return { query, limit: RESULTS };
}

export async function searchFor(world: World, question: Question, options: object): Promise<{ id: string }[]> {
  const answer = await world.client(question.n).ok('POST', SEARCH, { ...toRequest(question), ...options });
  return (answer as { results: { id: string }[] }).results;
}

/** Counts the results of a filter whose memories are all far from the queries. */
async function countSmallProject(world: World, questions: readonly Question[]): Promise<string> {
  const counts = new Set<number>();
  for (const question of questions.slice(0, RECALL_QUERIES)) {
    counts.add((await searchFor(world, question, { filter: { project: SMALL_PROJECT.name } })).length);
  }
  return Array.from(counts).join(' or ');
}

async function recall(world: World, truth: Truth, questions: readonly Question[]): Promise<string> {
  let found = 0;
  const asked = questions.slice(0, RECALL_QUERIES);
  for (const question of asked) {
    const right = new Set(await truth.closest(question.query, RESULTS));
    found += (await searchFor(world, question, {})).filter(({ id }) => right.has(id)).length;
  }
  return (found / (asked.length * RESULTS)).toFixed(4);
}

export function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
