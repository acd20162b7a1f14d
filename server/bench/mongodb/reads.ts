import type { Embedder } from '../../ports/embedder.js';
import { type Question, searchFor } from '../alone.js';
import { RARE_KIND } from '../corpus.js';
import type { Row } from '../table.js';
import { timeEach } from '../timing.js';
import type { Truth } from '../truth.js';
import type { World } from '../world.js';
import type { BenchDatabase } from './bench-database.js';
import { FEW, type Filled } from './fill.js';
import { bareVectorSearch, type MongoFloors } from './floors.js';

const RESULTS = 10;
/** The numbers of candidates in bare searches of the graph. */
const CANDIDATES = [300, 600, 1_000];

/** Calls for one latency: some searches take long on a small deployment. */
const FEWER = 40;
const WARM_UP = 5;

/** Measures one client that sends one query after the other. */
export async function measureReads(
  world: World,
  questions: readonly Question[],
  { koaSearch, search, searchRare }: MongoFloors,
): Promise<Row[]> {
  const row = async (what: string, bare: number, options: object, asked = questions, warmUp?: number): Promise<Row> => {
    const latency = await timeEach(asked, (question) => searchFor(world, question, options), warmUp);
    return { what, latency, floor: koaSearch + bare, floorName: 'koa + $vectorSearch' };
  };
  const fewer = questions.slice(0, FEWER);
  return [
    await row('search', search, {}),
    await row('search, 2 % filter', searchRare, { filter: { kind: RARE_KIND } }),
    await row('search, 98 % filter', search, { filter: { kind: 'note' } }, fewer, WARM_UP),
    await row('search, recency weighted', search, { recencyWeight: 0.3 }, fewer, WARM_UP),
    await row('search, keyword', search, { mode: 'keyword' }, fewer, WARM_UP),
    await row('search, hybrid', search, { mode: 'hybrid' }, fewer, WARM_UP),
  ];
}

/** Checks that a filter finds all its matches, which are far from the queries, and no other memory. */
export async function checkFew(world: World, questions: readonly Question[], filled: readonly Filled[]): Promise<Row> {
  const few = new Set(filled.filter(({ isOfTheFew }) => isOfTheFew).map(({ id }) => id));
  let found = 0;
  for (const question of questions) {
    const results = await searchFor(world, question, { filter: { project: FEW.project }, limit: 2 * FEW.memories });
    found += results.length === few.size && results.every(({ id }) => few.has(id)) ? 1 : 0;
  }
  const value = `just those in ${found} of ${questions.length} searches`;
  return { what: `a filter that ${few.size} of ${filled.length} memories of the organization match`, value };
}

/** Measures how many of the closest memories are found; with a filter, of the closest matches. */
export async function measureRecall(
  world: World,
  questions: readonly Question[],
  truth: Truth,
  { filter, of }: { filter?: object; of: string },
): Promise<Row> {
  let found = 0;
  for (const question of questions) {
    const right = new Set(await truth.closest(question.query, RESULTS));
    found += (await searchFor(world, question, { filter })).filter(({ id }) => right.has(id)).length;
  }
  return { what: `recall@${RESULTS} of ${of} against the float scan`, value: share(found, questions) };
}

/** Measures the recall of bare searches of the graph with several numbers of candidates. */
export async function measureBareRecall(
  database: BenchDatabase,
  embedder: Embedder,
  questions: readonly { query: string; organizationId: string }[],
  truth: Truth,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const candidates of CANDIDATES) {
    const search = { limit: RESULTS, candidates };
    let found = 0;
    const count = async (query: string, ids: readonly string[]) => {
      const right = new Set(await truth.closest(query, RESULTS));
      found += ids.filter((id) => right.has(id)).length;
    };
    const latency = await bareVectorSearch(database, embedder, questions, search, { warmUp: 0, onFound: count });
    rows.push({ what: `bare $vectorSearch for ${candidates} candidates: recall ${share(found, questions)}`, latency });
  }
  return rows;
}

function share(found: number, { length }: readonly unknown[]): string {
  return (found / (length * RESULTS)).toFixed(4);
}
