import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { StoreOpenError } from '../../../ports/store.js';

/** The database that a connection string without one means. */
const DEFAULT_DATABASE = 'memory_service';

/** A server that does not answer within this is out of reach: the request is answered with 503, not kept waiting. */
const SERVER_TIMEOUT_MS = 5_000;

/**
 * What is acknowledged is on the disks of a majority, and what is read cannot
 * be rolled back; whatever the connection string says.
 */
export const DURABLE: MongoClientOptions = {
  appName: 'memory-service',
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryReads: true,
  retryWrites: true,
  maxPoolSize: 50,
  serverSelectionTimeoutMS: SERVER_TIMEOUT_MS,
  connectTimeoutMS: SERVER_TIMEOUT_MS,
  waitQueueTimeoutMS: SERVER_TIMEOUT_MS,
  socketTimeoutMS: 30_000,
  ignoreUndefined: true,
};

/** A client and the database that the service uses. */
export interface MongoConnection extends AsyncDisposable {
  readonly client: MongoClient;
  readonly db: Db;
}

/**
 * Connects to the deployment that a connection string names.
 *
 * @throws {StoreOpenError} for a string that is none, and for a deployment that cannot be reached. The message does
 *   not hold the string: it has a password in it
 */
export async function connect(uri: string): Promise<MongoConnection> {
  const client = parse(uri);
  try {
    await client.connect();
    const db = client.db(databaseOf(uri));
    await db.command({ ping: 1 });
    return { client, db, [Symbol.asyncDispose]: () => client.close() };
  } catch (error) {
    await client.close();
    throw new StoreOpenError(
      'The MongoDB deployment of MONGODB_URI cannot be reached: check that it runs, that it lets this address in, ' +
        `and that the user and the password are right (${reasonOf(error)})`,
      { cause: error },
    );
  }
}

function parse(uri: string): MongoClient {
  try {
    return new MongoClient(uri, DURABLE);
  } catch (error) {
    throw new StoreOpenError(
      'MONGODB_URI is no connection string: it looks like mongodb+srv://user:password@host/database',
      { cause: error },
    );
  }
}

function databaseOf(uri: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]*)/.exec(uri)?.[1];
  return path ? decodeURIComponent(path) : DEFAULT_DATABASE;
}

/** What kind of failure it was: the text of the driver may name hosts and users. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
