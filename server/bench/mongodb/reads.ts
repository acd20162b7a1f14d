import { type Question, searchFor } from '../alone.js';
import { RARE_KIND } from '../corpus.js';
import type { Row } from '../table.js';
import { timeEach } from '../timing.js';
import type { Truth } from '../truth.js';
import type { World } from '../world.js';
import { FEW, type Filled } from './fill.js';
import type { MongoFloors } from './floors.js';

const RESULTS = 10;

/** One client that asks one question after the other. */
export async function measureReads(
  world: World,
  questions: readonly Question[],
  { koaSearch, search, searchRare }: MongoFloors,
): Promise<Row[]> {
  const kinds = {
    search: { options: {}, bare: search },
    'search, 2 % filter': { options: { filter: { kind: RARE_KIND } }, bare: searchRare },
    'search, 98 % filter': { options: { filter: { kind: 'note' } }, bare: search },
    'search, recency weighted': { options: { recencyWeight: 0.3 }, bare: search },
    'search, keyword': { options: { mode: 'keyword' }, bare: search },
    'search, hybrid': { options: { mode: 'hybrid' }, bare: search },
  };
  const rows: Row[] = [];
  for (const [what, { options, bare }] of Object.entries(kinds)) {
    const latency = await timeEach(questions, (question) => searchFor(world, question, options));
    rows.push({ what, latency, floor: koaSearch + bare, floorName: 'koa + $vectorSearch' });
  }
  return rows;
}

/** Whether a filter gives all that it matches, of memories that are nowhere near the queries, and no other. */
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

/** How many of the closest memories are found, without a filter and with one. */
export async function measureRecall(world: World, questions: readonly Question[], truth: Truth): Promise<Row> {
  let found = 0;
  for (const question of questions) {
    const right = new Set(await truth.closest(question.query, RESULTS));
    found += (await searchFor(world, question, {})).filter(({ id }) => right.has(id)).length;
  }
  const value = (found / (questions.length * RESULTS)).toFixed(4);
  return { what: `recall@${RESULTS} against the float scan`, value };
}
