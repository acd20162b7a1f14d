import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { StoreOpenError } from '../../../ports/store-errors.js';

/** The database used if the connection string names none. */
const DEFAULT_DATABASE = 'memory_service';

/** Time after which a server counts as unavailable. The request then fails with 503 instead of waiting. */
const SERVER_TIMEOUT_MS = 5_000;

/**
 * Options that override the connection string: acknowledged writes are on the disks of a majority, and reads cannot be
 * rolled back.
 */
export const DURABLE: MongoClientOptions = {
  appName: 'memory-service',
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryReads: true,
  retryWrites: true,
  serverSelectionTimeoutMS: SERVER_TIMEOUT_MS,
  connectTimeoutMS: SERVER_TIMEOUT_MS,
  waitQueueTimeoutMS: SERVER_TIMEOUT_MS,
  socketTimeoutMS: 30_000,
  ignoreUndefined: true,
};

/** Options of the connection pool that the connection string may replace. */
const POOL = { maxPoolSize: 50, maxIdleTimeMS: 300_000 } as const satisfies MongoClientOptions;
/** Default of `maxPoolSize`. */
export const POOL_SIZE = POOL.maxPoolSize;

/** A client and the database that the service uses. */
export interface MongoConnection extends AsyncDisposable {
  readonly client: MongoClient;
  readonly db: Db;
}

/**
 * Connects to the deployment of a connection string.
 *
 * @throws {StoreOpenError} for an invalid string or an unreachable deployment. The message does not contain the string,
 *   which has a password
 */
export async function connect(uri: string): Promise<MongoConnection> {
  const client = clientOf(uri);
  try {
    await client.connect();
    const db = client.db(databaseOf(uri));
    await db.command({ ping: 1 });
    return { client, db, [Symbol.asyncDispose]: () => client.close() };
  } catch (error) {
    await client.close();
    throw new StoreOpenError(
      'The MongoDB deployment of MONGODB_URI cannot be reached: check that it runs, that it accepts connections from ' +
        `this address, and that the user and the password are right (${reasonOf(error)})`,
      { cause: error },
    );
  }
}

/** Returns a client that is not connected yet. @throws {StoreOpenError} for an invalid connection string */
export function clientOf(uri: string): MongoClient {
  try {
    return new MongoClient(uri, { ...poolFor(uri), ...DURABLE });
  } catch (error) {
    throw new StoreOpenError(
      'MONGODB_URI is not a connection string: set it to one such as mongodb+srv://user:password@host/database',
      { cause: error },
    );
  }
}

/** Returns the options of the pool that the connection string does not name. The driver would prefer ours. */
function poolFor(uri: string): MongoClientOptions {
  const named = new Set(Array.from(uri.matchAll(/[?&]([^=&]+)=/g), ([, name = '']) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(POOL).filter(([name]) => !named.has(name.toLowerCase())));
}

function databaseOf(uri: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]*)/.exec(uri)?.[1];
  return path ? decodeURIComponent(path) : DEFAULT_DATABASE;
}

/** Returns the class of an error, since the text of the driver may name hosts and users. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
