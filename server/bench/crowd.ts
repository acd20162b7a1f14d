import { ask, BATCH, loadBatches, type Question, searchFor } from './alone.js';
import { runConcurrently } from './concurrent.js';
import type { Corpus, CorpusItem } from './corpus.js';
import { type Floors, floorOf } from './floors.js';
import type { Row } from './table.js';
import { summarize } from './timing.js';
import type { Truth } from './truth.js';
import type { World } from './world.js';

/** Calls of each client by default. */
const ROUNDS = 300;
/** The least number of memories that are loaded while others search. More organizations get a whole batch each. */
const BUSY_LOAD = 2_000;
/** Single writes before the measurements. A service that has run for days has had as many. */
const WARM_UP_WRITES = 3_000;
/** Searches before those that are measured, since Node compiles code after some hundreds of calls. */
const WARM_UP_QUESTIONS = 3_000;

interface Crowd {
  clients: number;
  /** Calls of each client. */
  rounds: number;
}

/** Measures several clients at once: writing, searching, both, and following the change feed meanwhile. */
export async function measureCrowd(
  world: World,
  corpus: Corpus,
  truth: Truth,
  floors: Floors,
  clients: number,
  rounds = ROUNDS,
): Promise<Row[]> {
  const rows: Row[] = [];
  await world.loopDelay();
  rows.push(await measureWriters(world, corpus, truth, floors, { clients, rounds }));
  rows.push(await measureFeed(world, corpus, truth, { clients, rounds }));
  rows.push(await measureAskers(world, corpus, floors, { clients, rounds }));
  rows.push(...(await measureMixed(world, corpus, truth, { clients, rounds })));
  rows.push(await measureBusyLoad(world, corpus, truth, { clients, rounds }));
  return rows;
}

/** Returns how many of the memories of a size `warmUp` writes. */
export function warmUpWrites(size: number): number {
  return Math.min(WARM_UP_WRITES, Math.floor(size / 2));
}

/** Runs several clients before anything is measured. */
export async function warmUp(
  world: World,
  corpus: Corpus,
  truth: Truth,
  clients: number,
  writes: number,
): Promise<void> {
  const writing = new Writing(world, corpus.take(writes));
  await runConcurrently(clients, writing.inputs, (n) => writing.write(n));
  await writing.finish(truth);
  await runConcurrently(clients, ask(world, corpus, WARM_UP_QUESTIONS), (question) => searchFor(world, question, {}));
}

async function measureWriters(
  world: World,
  corpus: Corpus,
  truth: Truth,
  floors: Floors,
  { clients, rounds }: Crowd,
): Promise<Row> {
  const writing = new Writing(world, corpus.take(rounds * clients));
  const { perSecond, latency } = await runConcurrently(clients, writing.inputs, (n) => writing.write(n));
  await writing.finish(truth);
  const ratio = (perSecond * floors.commit) / 1_000;
  const what = `single ingest, ${clients} clients: ${Math.round(perSecond)} /s, ${ratio.toFixed(2)} × one bare commit a write`;
  return { what, latency };
}

async function measureFeed(world: World, corpus: Corpus, truth: Truth, { clients, rounds }: Crowd): Promise<Row> {
  const writing = new Writing(world, corpus.take(rounds * clients));
  const [{ lag, missed }] = await Promise.all([
    followChanges(world, writing),
    runConcurrently(clients, writing.inputs, (n) => writing.write(n)),
  ]);
  await writing.finish(truth);
  const what = `change feed under ${clients} writers: ${missed} of ${writing.inputs.length} missed; from answer to feed`;
  return { what, latency: lag };
}

async function measureAskers(world: World, corpus: Corpus, floors: Floors, { clients, rounds }: Crowd): Promise<Row> {
  const questions = ask(world, corpus, rounds * clients);
  const { perSecond, latency } = await runConcurrently(clients, questions, (question) =>
    searchFor(world, question, {}),
  );
  const what = `search, ${clients} clients: ${Math.round(perSecond)} /s`;
  return { what, latency, ...floorOf(floors, 'koaSearch', 'scan') };
}

async function measureMixed(world: World, corpus: Corpus, truth: Truth, { clients, rounds }: Crowd): Promise<Row[]> {
  const writers = Math.max(1, Math.floor(clients / 4));
  const writing = new Writing(world, corpus.take(rounds * writers));
  const questions = ask(world, corpus, rounds * (clients - writers));
  await world.loopDelay();
  const [written, asked] = await Promise.all([
    runConcurrently(writers, writing.inputs, (n) => writing.write(n)),
    runConcurrently(clients - writers, questions, (question) => searchFor(world, question, {})),
  ]);
  const { p99, max } = await world.loopDelay();
  await writing.finish(truth);
  return [
    { what: `mixed: single ingest, ${writers} clients`, latency: written.latency },
    { what: `mixed: search, ${clients - writers} clients`, latency: asked.latency },
    { what: 'mixed: event loop late', value: `p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms` },
  ];
}

/** Measures batches that are written while all clients search. */
async function measureBusyLoad(world: World, corpus: Corpus, truth: Truth, { clients, rounds }: Crowd): Promise<Row> {
  const questions = ask(world, corpus, rounds * clients);
  let isLoading = true;
  const [{ value }] = await Promise.all([
    loadBatches(world, corpus, truth, Math.max(BUSY_LOAD, BATCH * world.organizations)).finally(() => {
      isLoading = false;
    }),
    ...Array.from({ length: clients }, async (_, client) => {
      for (let at = client; isLoading; at = (at + clients) % questions.length) {
        await searchFor(world, questions[at] as Question, {});
      }
    }),
  ]);
  return { what: `batch ingest while ${clients} clients search`, value };
}

/** Writes memories, and records when each was acknowledged. */
class Writing {
  readonly inputs: number[];
  readonly acknowledgedAt = new Map<string, number>();
  isDone = false;
  private readonly created: { id: string; content: string }[] = [];

  constructor(
    private readonly world: World,
    private readonly items: readonly CorpusItem[],
  ) {
    this.inputs = items.map((_, n) => n);
  }

  async write(n: number): Promise<void> {
    const answer = await this.world.client(n).ok('POST', '/api/memories', this.items[n]);
    const { id, content, outcome } = answer as { id: string; content: string; outcome: string };
    this.acknowledgedAt.set(id, performance.now());
    if (outcome === 'created') this.created.push({ id, content });
    this.isDone = this.acknowledgedAt.size === this.inputs.length;
  }

  async finish(truth: Truth): Promise<void> {
    this.world.stored.push(...this.items);
    await truth.add(this.created);
  }
}

interface Followed {
  /** Milliseconds from the answer of a write to its entry in the feed; 0 if the feed was first. */
  lag: ReturnType<typeof summarize>;
  missed: number;
}

/** Polls the change feed of the first organization until it contains all writes, or no more entries come. */
async function followChanges(world: World, writing: Writing): Promise<Followed> {
  const since = encodeURIComponent(new Date().toISOString());
  const seenAt = new Map<string, number>();
  let cursor: string | undefined;
  for (;;) {
    const wasDone = writing.isDone;
    const path = `/api/memories/changes?since=${since}&limit=500${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
    const page = (await world.client(0).ok('GET', path)) as { changes: { id: string }[]; nextCursor?: string };
    for (const { id } of page.changes) seenAt.set(id, performance.now());
    cursor = page.nextCursor ?? cursor;
    if (page.changes.length === 0 && wasDone) break;
  }
  const lags: number[] = [];
  for (const [id, at] of seenAt) lags.push(Math.max(0, at - (writing.acknowledgedAt.get(id) ?? at)));
  const expected = world.organizations === 1 ? writing.acknowledgedAt.size : seenAt.size;
  return { lag: summarize(lags), missed: expected - seenAt.size };
}
