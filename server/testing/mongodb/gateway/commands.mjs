// Implements the commands of a driver.
import { deserialize } from 'bson';
import { bulkWrite } from './bulk-write.mjs';
import { Engine } from './engine.mjs';
import { CommandError, withMongoCodes } from './errors.mjs';
import {
  createSearchIndexes,
  dropSearchIndex,
  forgetDatabase,
  listSearchIndexes,
  searchDefinition,
  updateSearchIndex,
  vectorPipeline,
} from './search-indexes.mjs';
import { collectionStatistics, serverStatus } from './statistics.mjs';
import { isTextSearch, textPipeline } from './text-search.mjs';
import { RetryableWrites, Transactions } from './transactions.mjs';
import { plainDocument, plainSequence } from './vectors.mjs';

const OK = { ok: 1 };
const VERSION = '8.0.0';

/** Answers as a router of shards: only that has sessions, transactions and retryable writes. */
const hello = () => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  msg: 'isdbgrid',
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  connectionId: 1,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ok: 1,
});

/** Commands answered without the engine. */
const FIXED = {
  hello,
  ismaster: hello,
  ping: () => OK,
  endsessions: () => OK,
  killsessions: () => OK,
  refreshsessions: () => OK,
  getparameter: () => OK,
  buildinfo: () => ({ version: VERSION, versionArray: [8, 0, 0, 0], gitVersion: 'documentdb', modules: [], ok: 1 }),
  connectionstatus: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 }),
};

/** Commands answered by the engine. `raw` is the command's BSON, with vectors as arrays. */
const COMMANDS = {
  insert: (engine, { db, raw, sequences }) => engine.write('insert', db, raw, sequences.documents),
  update: (engine, { db, raw, sequences }) => engine.write('update', db, raw, sequences.updates),
  delete: (engine, { db, raw, sequences }) => engine.write('delete', db, raw, sequences.deletes),
  bulkwrite: (engine, { sequences }) => bulkWrite(engine, sequences),
  findandmodify: (engine, { db, raw }) => engine.findAndModify(db, raw),
  find: (engine, { db, raw }) => engine.openCursor('find', db, raw),
  aggregate: (engine, { db, raw, command }) => aggregate(engine, db, raw, command),
  listcollections: (engine, { db, raw }) => engine.openCursor('list_collections', db, raw),
  listindexes: (engine, { db, raw }) => engine.openCursor('list_indexes', db, raw),
  getmore: (engine, { raw, command }) => engine.getMore(String(command.getMore), raw),
  killcursors: (engine, { command }) => engine.killCursors(command.cursors),
  count: (engine, { db, raw }) => engine.query('count_query', db, raw),
  distinct: (engine, { db, raw }) => engine.query('distinct_query', db, raw),
  create: (engine, { db, raw }) => engine.query('create_collection_view', db, raw),
  async createindexes(engine, { db, raw, command }) {
    await engine.createIndexes(db, command.createIndexes, raw);
    return OK;
  },
  async dropindexes(engine, { db, raw }) {
    await engine.dropIndexes(db, raw);
    return OK;
  },
  createsearchindexes: (_, { command, withEngine }) => createSearchIndexes(withEngine, command),
  updatesearchindex: (_, { command, withEngine }) => updateSearchIndex(withEngine, command),
  dropsearchindex: (engine, { command }) => dropSearchIndex(engine, command),
  collstats: (engine, { db, command }) => collectionStatistics(engine, db, command.collStats),
  async serverstatus(engine, { db }) {
    return { version: VERSION, process: 'mongos', metrics: await serverStatus(engine, db), ok: 1 };
  },
  collmod: (engine, { db, raw, command }) => engine.modifyCollection(db, command.collMod, raw),
  async drop(engine, { db, command }) {
    const ns = `${db}.${command.drop}`;
    if (!(await engine.dropCollection(db, command.drop)))
      throw new CommandError(26, 'NamespaceNotFound', 'ns not found');
    return { ok: 1, ns };
  },
  listdatabases: (engine, { raw }) => engine.listDatabases(raw),
  async dropdatabase(engine, { db }) {
    forgetDatabase(db);
    await engine.dropDatabase(db);
    return { ok: 1, dropped: db };
  },
};

/** Runs commands on connections of a pool. */
export class Commands {
  #pool;
  #transactions;
  #retryable = new RetryableWrites();

  constructor(pool) {
    this.#pool = pool;
    this.#transactions = new Transactions(pool);
  }

  /** @returns a document, or its BSON */
  async run({ command, raw, sequences }) {
    const name = Object.keys(command)[0].toLowerCase();
    const fixed = FIXED[name];
    if (fixed) return fixed();
    if (name === 'committransaction') return this.#transactions.commit(command).then(() => OK);
    if (name === 'aborttransaction') return this.#transactions.abort(command).then(() => OK);
    const execute = COMMANDS[name];
    if (!execute) throw new CommandError(59, 'CommandNotFound', `no such command: '${name}'`);
    const plain = Object.fromEntries(Object.entries(sequences).map(([key, bytes]) => [key, plainSequence(bytes)]));
    const withEngine = (work) => this.#withEngine(work);
    const given = { db: command.$db, raw: plainDocument(raw), command, sequences: plain, withEngine };
    if (command.autocommit === false) {
      return translated(await execute(new Engine(await this.#transactions.clientOf(command)), given));
    }
    return this.#retryable.once(command, async () => {
      return translated(await this.#withEngine((engine) => execute(engine, given)));
    });
  }

  async #withEngine(work) {
    const client = await this.#pool.connect();
    try {
      return await work(new Engine(client));
    } finally {
      client.release();
    }
  }
}

function aggregate(engine, db, raw, { pipeline, ...command }) {
  const first = pipeline?.[0] ?? {};
  if (first.$listSearchIndexes) return listSearchIndexes({ ...command, pipeline });
  if (isTextSearch(pipeline)) {
    const definitionOf = (index) => searchDefinition(`${db}.${command.aggregate}`, index);
    return engine.openCursor('aggregate', db, Buffer.from(textPipeline(raw, definitionOf)));
  }
  return engine.openCursor('aggregate', db, first.$vectorSearch ? Buffer.from(vectorPipeline(raw)) : raw);
}

function translated(reply) {
  return Buffer.isBuffer(reply) && reply.includes('writeErrors') ? withMongoCodes(deserialize(reply)) : reply;
}
