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
 * Connects to the deployment of a connection string.
 *
 * @throws {StoreOpenError} for an invalid string or an unreachable deployment. The message does not contain the string,
 *   which has a password
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
      'The MongoDB deployment of MONGODB_URI cannot be reached: check that it runs, that it accepts connections from ' +
        `this address, and that the user and the password are right (${reasonOf(error)})`,
      { cause: error },
    );
  }
}

function parse(uri: string): MongoClient {
  try {
    return new MongoClient(uri, DURABLE);
  } catch (error) {
    throw new StoreOpenError(
      'MONGODB_URI is not a connection string: set it to one such as mongodb+srv://user:password@host/database',
      { cause: error },
    );
  }
}

function databaseOf(uri: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]*)/.exec(uri)?.[1];
  return path ? decodeURIComponent(path) : DEFAULT_DATABASE;
}

/** Returns the class of an error, since the text of the driver may name hosts and users. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
