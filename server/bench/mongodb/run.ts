import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { EXACT_ROWS } from '../../adapters/mongo/store.js';
import { candidatesFor } from '../../adapters/mongo/vector-index/vector-search.js';
import { facetOf } from '../../domain/filter/facet.js';
import type { Embedder } from '../../ports/embedder.js';
import { builtPackage } from '../../testing/processes/server-process.js';
import { ask, measureLoad, measureRestart, measureSingle, type Question, SEARCH, toRequest } from '../alone.js';
import { type Corpus, RARE_KIND } from '../corpus.js';
import { measureCrowd } from '../crowd.js';
import { bareKoa } from '../floors.js';
import { printTable, type Row } from '../table.js';
import { Truth } from '../truth.js';
import { DIMENSIONS, ROUNDS, World } from '../world.js';
import { BenchDatabase } from './bench-database.js';
import { countDatabaseWork } from './database-work.js';
import { type Filled, fill, THIRD } from './fill.js';
import { bareInsert, bareVectorSearch, type MongoFloors } from './floors.js';
import { checkFew, measureBareRecall, measureReads, measureRecall } from './reads.js';

/** Memories that are written in batches. */
const BATCHED = 1_000;
/** Calls of each of several clients. */
const CROWD_ROUNDS = 60;
/** Calls of one client for one latency. Half of them are warm-up. */
const CALLS = 400;
const RECALL_QUERIES = 100;
const RESULTS = 10;
/** One of this many memories matches the selective filter. */
const RARE_ONE_IN = 50;

interface MongoRun {
  /** Memories at the start, all organizations together. */
  sizes: readonly number[];
  organizations: number;
  clients: number;
  /** Counts what the database does, instead of measuring times. */
  countsWork: boolean;
}

/** Measures the built server over HTTP, on its own database on the deployment of MONGODB_URI, with its floors. */
export async function benchMongodb(folder: string, corpus: Corpus, run: MongoRun): Promise<void> {
  const { MONGODB_URI } = process.env;
  if (!MONGODB_URI) throw new Error('Set MONGODB_URI to a deployment: "npm run --silent mongodb:up" starts one');
  if (run.countsWork) {
    for (const size of run.sizes) await countDatabaseWork(MONGODB_URI, corpus, { ...run, size });
    return;
  }
  for (const [n, size] of run.sizes.entries()) {
    await using database = await BenchDatabase.make(MONGODB_URI);
    const world = await World.start(builtPackage('server'), `${folder}/${n}`, run.organizations, database.backing);
    try {
      await new Measurement(database, world, corpus, run).measure(size);
    } finally {
      await world.stop();
    }
  }
}

class Measurement {
  private readonly embedder: Embedder = new LocalEmbedder({ dimensions: DIMENSIONS });
  /** The exact answers of the first organization. */
  private readonly truth = new Truth(DIMENSIONS);

  constructor(
    private readonly database: BenchDatabase,
    private readonly world: World,
    private readonly corpus: Corpus,
    private readonly run: MongoRun,
  ) {}

  async measure(size: number): Promise<void> {
    const { database, world, corpus, truth, embedder } = this;
    await database.dropVectorIndex();
    const filled = await fill(database, world, corpus, embedder, size);
    const built = await database.buildVectorIndex();
    await truth.add(filled);
    const questions = ask(world, corpus, CALLS);
    const ofFirst = ask(world, corpus, RECALL_QUERIES).map(({ query }) => ({ query, n: 0 }));
    const rows: Row[] = [{ what: 'building the vector index', value: `${Math.round(built / 1_000)} s` }];
    rows.push(...(await this.found(filled, ofFirst)));
    printProgress(rows);
    const before = rows.length;
    const floors = await this.floors(questions);
    rows.push(...(await measureReads(world, questions, floors)));
    printProgress(rows.slice(before));
    rows.push(await measureLoad(world, corpus, truth, world.stored.length + BATCHED));
    const scanned = { koa: floors.koa, koaSearch: floors.koaSearch, commit: floors.insert, scan: floors.search };
    rows.push(await measureSingle(world, corpus, truth, scanned));
    printProgress(rows.slice(-2));
    rows.push(...(await measureCrowd(world, corpus, truth, scanned, this.run.clients, CROWD_ROUNDS)));
    rows.push(await measureRestart(world, 'SIGKILL'));
    printTable(`${size} memories in ${world.organizations} organizations`, rows, [
      ['bare Koa, a memory in and out', floors.koa],
      ['bare Koa, a query in and ten memories out', floors.koaSearch],
      ['commit: bare insertOne', floors.insert],
      ['scan: bare $vectorSearch', floors.search],
      ['bare $vectorSearch, 2 % filter', floors.searchRare],
    ]);
  }

  /** Checks what searches in the first organization find. */
  private async found(filled: readonly Filled[], questions: readonly Question[]): Promise<Row[]> {
    const { database, world, truth, embedder } = this;
    const third = new Truth(DIMENSIONS);
    await third.add(filled.filter(({ isOfTheThird }) => isOfTheThird));
    const filter = { match: { [THIRD]: true } };
    const organizationId = world.organizationIds[0] ?? '';
    const placed = questions.map(({ query }) => ({ query, organizationId }));
    return [
      await checkFew(world, questions, filled),
      await measureRecall(world, questions, truth, { of: 'all' }),
      await measureRecall(world, questions, third, { of: 'a filter that 30 % match', filter }),
      ...(await measureBareRecall(database, embedder, placed, truth)),
    ];
  }

  private async floors(questions: readonly Question[]): Promise<MongoFloors> {
    const { database, world, corpus, embedder } = this;
    const bodies = questions.map(toRequest);
    const found = await world.client(0).ok('POST', SEARCH, bodies[0]);
    const koa = await bareKoa(corpus.take(ROUNDS));
    const koaSearch = await bareKoa(bodies, found);
    const insert = await bareInsert(
      database,
      embedder,
      questions.map(({ query }) => query),
    );
    const placed = questions.map(({ query, n }) => ({
      query,
      organizationId: world.organizationIds[n % world.organizations] ?? '',
    }));
    const rows = world.stored.length / world.organizations;
    const candidates = (matching: number) => (matching <= EXACT_ROWS ? {} : { candidates: candidatesFor(RESULTS) });
    const asked = { limit: RESULTS, ...candidates(rows) };
    const rare = { limit: RESULTS, ...candidates(rows / RARE_ONE_IN), facet: facetOf('kind', RARE_KIND) };
    const search = await bareVectorSearch(database, embedder, placed, asked);
    const searchRare = await bareVectorSearch(database, embedder, placed, rare);
    return {
      koa: koa.p50,
      koaSearch: koaSearch.p50,
      insert: insert.p50,
      search: search.p50,
      searchRare: searchRare.p50,
    };
  }
}

/** Prints rows at once, because the whole run takes long. */
function printProgress(rows: readonly Row[]): void {
  for (const { what, latency, floor, value } of rows) {
    const beside = floor === undefined ? '' : ` beside ${floor.toFixed(2)}`;
    console.error(`${what}: ${latency ? `p50 ${latency.p50.toFixed(2)} ms${beside}` : value}`);
  }
}
