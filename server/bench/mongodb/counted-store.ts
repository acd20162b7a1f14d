import { setTimeout as wait } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { DURABLE } from '../../adapters/mongo/engine/connection.js';
import { checkSetUp } from '../../adapters/mongo/set-up.js';
import { type MongoStore, mongoStoreOn } from '../../adapters/mongo/store.js';
import { DIMENSIONS } from '../world.js';

/** Time until the statistics of the test engine include everything that was done. */
const SETTLE_MS = 11_000;

/** The work of a database since its start. */
export interface DatabaseWork {
  commands: number;
  documentsRead: number;
  keysRead: number;
  documentsWritten: number;
}

/** Commands that the driver sends on its own. */
const OWN = new Set(['hello', 'ismaster', 'ping', 'endSessions', 'serverStatus', 'collStats']);

/** A store without background work, on a database whose work is counted. Nothing else may use the deployment. */
export class CountedStore implements AsyncDisposable {
  readonly store: MongoStore;
  readonly #db: Db;
  #commands = 0;

  private constructor(client: MongoClient, store: MongoStore) {
    this.store = store;
    this.#db = client.db();
    client.on('commandStarted', ({ commandName }) => {
      if (!OWN.has(commandName)) this.#commands += 1;
    });
  }

  /** @param uri of a database that is set up. Searches take its indexes for up to date */
  static async open(uri: string): Promise<CountedStore> {
    const client = await new MongoClient(uri, { ...DURABLE, monitorCommands: true }).connect();
    const db = client.db();
    const indexed = await checkSetUp(db, { dimensions: DIMENSIONS });
    const connection = { client, db, [Symbol.asyncDispose]: () => client.close() };
    const options = { dimensions: DIMENSIONS, now: () => Date.now() * 1_000, indexLagMs: 0 };
    return new CountedStore(client, mongoStoreOn(connection, indexed, options));
  }

  /** Reads the statistics of the server. */
  async work(): Promise<DatabaseWork> {
    await this.store.usage.flush();
    await wait(SETTLE_MS);
    const { metrics } = await this.#db.command({ serverStatus: 1 });
    const { queryExecutor: read, document: written } = metrics as ServerMetrics;
    return {
      commands: this.#commands,
      documentsRead: Number(read.scannedObjects),
      keysRead: Number(read.scanned),
      documentsWritten: Number(written.inserted) + Number(written.updated) + Number(written.deleted),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }
}

/** The counts of a server, as numbers of any type. */
interface ServerMetrics {
  queryExecutor: { scanned: unknown; scannedObjects: unknown };
  document: { inserted: unknown; updated: unknown; deleted: unknown };
}
