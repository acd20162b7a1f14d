import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { type Corpus, type CorpusItem, RARE_KIND } from '../corpus.js';
import { summarize } from '../timing.js';
import { Truth } from '../truth.js';
import { DIMENSIONS } from '../world.js';
import type { Compared } from './comparison-table.js';
import { inTurn, inTurnTogether, type Measured } from './in-turn.js';
import type { Peer } from './peer.js';
import type { NewItem, Ours, Question } from './sides.js';

const BATCH = 50;
const RESULTS = 10;
/** Calls of one client, and how many of them are warm-up: Node compiles code after some hundreds of calls. */
const [CALLS, WARM_UP] = [700, 400];
/** Searches before the first ones that count, since Node compiles code after some hundreds of calls. */
const SETTLING = 1_500;
/** Calls of each of several clients, and how many of them are warm-up. */
const [CALLS_EACH, WARM_UP_EACH] = [40, 10];
const ADDS = 200;
const RECALL_QUERIES = 100;
const RESTARTS = 7;
/** Recalls that differ less are equal. */
const EQUAL_RECALL = 0.005;

/** The milliseconds until a side is ready, and from then until its first result. */
interface Restart {
  ready: number;
  first: number;
}

interface Answers {
  one: Measured;
  several: Measured;
  recall: number;
}

/** Measures the service and some peers with the same contents and vectors, in turn. */
export class Comparison {
  readonly #embedder = new LocalEmbedder({ dimensions: DIMENSIONS });
  readonly #truth = new Truth(DIMENSIONS);
  readonly #stored: CorpusItem[] = [];

  constructor(
    private readonly ours: Ours,
    private readonly peers: readonly Peer[],
    private readonly corpus: Corpus,
    private readonly clients: number,
  ) {}

  /** Returns the measurements for each peer, in their order. */
  async measure(size: number): Promise<Compared[][]> {
    const all = this.peers.map((): Compared[] => []);
    const compare = (what: string, unit: Compared['unit'], values: readonly number[], more?: Partial<Compared>) => {
      const [ours = Number.NaN, ...others] = values;
      for (const [at, theirs] of others.entries()) all[at]?.push({ what, unit, ours, theirs, ...more });
    };
    compare('load in batches', '/s', await this.#load(size), { aim: 2 });
    compare('first search after the load', 'ms', await this.#firstSearches());
    await inTurn(await this.#ask(SETTLING), this.#searching(this.peers), SETTLING);
    const questions = await this.#ask(CALLS);
    const [ours, ...theirs] = await this.#answers(questions, this.peers);
    for (const [at, answers] of theirs.entries()) if (ours) all[at]?.push(...this.#searches('', ours, answers, 0.5));
    const rare = questions.map((question) => ({ ...question, kind: RARE_KIND }));
    const filtered = await inTurn(rare, this.#searching(this.peers), WARM_UP);
    compare('search, 2 % filter', 'ms', filtered.map(medianOf), { aim: 0.15 });
    compare('add', 'ms', (await this.#adds()).map(medianOf), { aim: 0.2 });
    for (const [at, peer] of this.peers.entries()) {
      if (ours) all[at]?.push(...(await this.#atEqualRecall(peer, questions, ours.recall)));
    }
    const restarts = await this.#restarts();
    compare(
      'ready after a restart',
      'ms',
      restarts.map((each) => summarize(each.map(({ ready }) => ready)).p50),
      { aim: 1 },
    );
    compare(
      'first search after ready',
      'ms',
      restarts.map((each) => summarize(each.map(({ first }) => first)).p50),
    );
    return all;
  }

  /** Returns the rates of each side. */
  async #load(size: number): Promise<number[]> {
    const totals = [this.ours, ...this.peers].map(() => 0);
    for (let done = 0; done < size; done += BATCH) {
      const items = this.corpus.take(Math.min(BATCH, size - done));
      const made = await this.#embed(items);
      const start = performance.now();
      const stored = await this.ours.addBatch(made);
      totals[0] = (totals[0] ?? 0) + performance.now() - start;
      for (const [at, peer] of this.peers.entries()) {
        totals[at + 1] = (totals[at + 1] ?? 0) + (await timeOf(() => peer.add(stored)));
      }
      await this.#truth.add(stored);
      this.#stored.push(...items);
    }
    return totals.map((ms) => (size / ms) * 1_000);
  }

  async #firstSearches(): Promise<number[]> {
    const [question] = await this.#ask(1);
    if (!question) throw new Error('there is no question');
    return inOrder([this.ours, ...this.peers], (side) => timeOf(() => side.search(question)));
  }

  async #answers(questions: readonly Question[], peers: readonly Peer[]): Promise<Answers[]> {
    const sides = this.#searching(peers);
    const ones = await inTurn(questions, sides, WARM_UP);
    const many = await this.#ask(CALLS_EACH * this.clients);
    const several = await inTurnTogether(this.clients, many, sides, WARM_UP_EACH * this.clients);
    const recalls = await this.#recalls(questions, sides);
    return ones.map((one, at) => ({ one, several: several[at] ?? one, recall: recalls[at] ?? Number.NaN }));
  }

  /** Widens the searches of a peer until it finds as much as the service, and measures both again. */
  async #atEqualRecall(peer: Peer, questions: readonly Question[], wanted: number): Promise<Compared[]> {
    let setting: string | undefined;
    for (;;) {
      const [recall = 0] = await this.#recalls(questions, [(question) => peer.search(question)]);
      if (recall >= wanted - EQUAL_RECALL) break;
      const wider = await peer.widen();
      if (wider === undefined) break;
      setting = wider;
    }
    if (setting === undefined) return [];
    const [ours, theirs] = await this.#answers(questions, [peer]);
    return ours && theirs ? this.#searches(` (${setting})`, ours, theirs, 0.3) : [];
  }

  #searches(suffix: string, ours: Answers, theirs: Answers, aim: number): Compared[] {
    const recall = { oursRecall: ours.recall, theirsRecall: theirs.recall, aim };
    const row = (what: string, [one, other]: readonly [Measured, Measured]): Compared => ({
      ...{ what: `${what}${suffix}`, unit: 'ms', ours: medianOf(one), theirs: medianOf(other) },
      ...recall,
    });
    return [
      row('search', [ours.one, theirs.one]),
      row(`search, ${this.clients} clients`, [ours.several, theirs.several]),
    ];
  }

  /** Returns the share of the exact results that each side finds. */
  async #recalls(
    questions: readonly Question[],
    sides: readonly ((question: Question) => Promise<string[]>)[],
  ): Promise<number[]> {
    const found = sides.map(() => 0);
    const asked = questions.slice(0, RECALL_QUERIES);
    for (const question of asked) {
      const right = new Set(await this.#truth.closest(question.query, RESULTS));
      for (const [at, search] of sides.entries()) {
        found[at] = (found[at] ?? 0) + (await search(question)).filter((id) => right.has(id)).length;
      }
    }
    return found.map((each) => each / (asked.length * RESULTS));
  }

  async #adds(): Promise<Measured[]> {
    const items = await this.#embed(this.corpus.take(ADDS));
    const ids = new Map<NewItem, string>();
    const addOurs = async (item: NewItem) => void ids.set(item, await this.ours.add(item));
    const addTheirs = (peer: Peer) => (item: NewItem) => peer.add([{ ...item, id: ids.get(item) ?? item.content }]);
    const measured = await inTurn(items, [addOurs, ...this.peers.map(addTheirs)], ADDS / 4);
    await this.#truth.add(items.map((item) => ({ ...item, id: ids.get(item) ?? '' })));
    return measured;
  }

  /** Returns several restarts of each side, which restart in turn. */
  async #restarts(): Promise<Restart[][]> {
    const sides = [this.ours, ...this.peers];
    const all: Restart[][] = sides.map(() => []);
    for (let round = 0; round < RESTARTS; round += 1) {
      for (const [at, restart] of (await inOrder(sides, (side) => this.#restart(side))).entries())
        all[at]?.push(restart);
    }
    return all;
  }

  async #restart(side: Ours | Peer): Promise<Restart> {
    const [question] = await this.#ask(1);
    if (!question) throw new Error('there is no question');
    await ('end' in side ? side.end() : side.stop());
    const ready = await timeOf(() => ('restart' in side ? side.restart() : side.start()));
    return { ready, first: await timeOf(() => side.search(question)) };
  }

  #searching(peers: readonly Peer[]): ((question: Question) => Promise<string[]>)[] {
    return [this.ours, ...peers].map((side) => (question) => side.search(question));
  }

  async #ask(count: number): Promise<Question[]> {
    const queries = Array.from({ length: count }, (_, n) =>
      this.corpus.query((this.#stored[(n * 7) % this.#stored.length] as CorpusItem).content),
    );
    const vectors = await this.#embedder.embed(queries, 'query');
    return queries.map((query, at) => ({ query, limit: RESULTS, vector: toNumbers(vectors[at]) }));
  }

  async #embed(items: readonly CorpusItem[]): Promise<NewItem[]> {
    const vectors = await this.#embedder.embed(
      items.map(({ content }) => content),
      'document',
    );
    return items.map(({ content, metadata }, at) => ({
      ...{ content, kind: metadata.kind },
      vector: toNumbers(vectors[at]),
    }));
  }
}

function medianOf({ latency }: Measured): number {
  return latency.p50;
}

function toNumbers(vector: Float32Array | undefined): number[] {
  return Array.from(vector ?? []);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function inOrder<T, R>(inputs: readonly T[], work: (input: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const input of inputs) results.push(await work(input));
  return results;
}
