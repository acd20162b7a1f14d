import {
  type AnyBulkWriteOperation,
  type AnyClientBulkWriteModel,
  type ClientSession,
  type Collection,
  type Document,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoServerError,
} from 'mongodb';
import { WRITE_TIMEOUT_MS } from './read-options.js';

/** Writes of a unit of work to one collection, in their order. */
export interface PlannedWrites {
  models: AnyClientBulkWriteModel<Document>[];
  /** Number of updates, each of which must find or insert its document. */
  updates: number;
  /** Runs the writes with a command of the collection. Returns the number of updates that found their document. */
  run(session: ClientSession): Promise<number>;
}

const BOUNDED = { maxTimeMS: WRITE_TIMEOUT_MS } as const;

/** Error codes of servers before MongoDB 8, which have no command for writes to several collections. */
const UNKNOWN_COMMAND = new Set([59, 115]);

export function planned<T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): PlannedWrites {
  return {
    models: operations.map((operation) => toModel(collection.namespace, operation)),
    updates: operations.filter((operation) => 'updateOne' in operation).length,
    async run(session) {
      const { matchedCount, upsertedCount } = await collection.bulkWrite(operations, { session, ...BOUNDED });
      return matchedCount + upsertedCount;
    },
  };
}

/** Writes what a unit of work has kept until its end: with one command, or one for each collection before MongoDB 8. */
export class UnitWriter {
  readonly #client: MongoClient;
  #isOneCommand = true;

  constructor(client: MongoClient) {
    this.#client = client;
  }

  /**
   * Writes in the order given.
   *
   * @returns false if an update found no document. Then the transaction must not commit
   * @throws {UnsupportedCommandError} once, if the server is older. A retry uses other commands
   */
  async write(session: ClientSession, writes: readonly PlannedWrites[]): Promise<boolean> {
    const pending = writes.filter(({ models }) => models.length > 0);
    if (pending.length === 0) return true;
    if (this.#isOneCommand && pending.length > 1) return this.#writeTogether(session, pending);
    for (const each of pending) {
      if ((await each.run(session)) < each.updates) return false;
    }
    return true;
  }

  async #writeTogether(session: ClientSession, writes: readonly PlannedWrites[]): Promise<boolean> {
    const models = writes.flatMap((each) => each.models);
    try {
      const { matchedCount, upsertedCount } = await this.#client.bulkWrite(models, { session, ...BOUNDED });
      return matchedCount + upsertedCount >= writes.reduce((sum, { updates }) => sum + updates, 0);
    } catch (error) {
      if (hasMissedUpdate(error, models)) return false;
      const cause = causeOf(error);
      if (!(cause instanceof MongoServerError && UNKNOWN_COMMAND.has(Number(cause.code)))) throw cause;
      this.#isOneCommand = false;
      throw new UnsupportedCommandError('The server is older than MongoDB 8', { cause });
    }
  }
}

/** The server does not know a command. The transaction is retried without it. */
export class UnsupportedCommandError extends Error {
  override name = 'UnsupportedCommandError';
}

function toModel(namespace: string, operation: object): AnyClientBulkWriteModel<Document> {
  const [[name, fields] = []] = Object.entries(operation);
  return { name, namespace, ...fields } as AnyClientBulkWriteModel<Document>;
}

/**
 * Reports if an update before the failed write found no document. Then the unit used outdated data, which may be the
 * reason of the failure.
 */
function hasMissedUpdate(error: unknown, models: readonly AnyClientBulkWriteModel<Document>[]): boolean {
  if (!(error instanceof MongoClientBulkWriteError) || !error.partialResult) return false;
  const [failedAt] = error.writeErrors.keys();
  if (failedAt === undefined) return false;
  const { matchedCount, upsertedCount } = error.partialResult;
  const updates = models.slice(0, failedAt).filter(({ name }) => name === 'updateOne').length;
  return matchedCount + upsertedCount < updates;
}

/** Returns the error of the server, with the code and labels that the driver's own error lacks. */
function causeOf(error: unknown): unknown {
  if (!(error instanceof MongoClientBulkWriteError)) return error;
  if (error.cause instanceof MongoServerError) return error.cause;
  const [failed] = error.writeErrors.values();
  return failed ? new MongoServerError({ code: failed.code, message: failed.message }) : error;
}
