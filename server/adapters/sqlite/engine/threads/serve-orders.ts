import { parentPort, workerData } from 'node:worker_threads';
import { callNative, endLoading, pauseCalls } from '../../../threads/native-calls.js';
import { Connection, type ConnectionOptions } from '../connection.js';
import { reportOf } from '../errors.js';
import { AbandonedError, type AbandonedFlag, type AssertWanted, wantedUntil } from './abandonment.js';
import type { Answer, Message } from './database-thread.js';

const READ_CACHE_KIB = 8_192;
const READ_PRAGMAS = `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -${READ_CACHE_KIB}`;

/** Options of a thread's connection, and the statements that set it up. */
interface Opening extends ConnectionOptions {
  pragmas: string;
}

/**
 * Runs in a thread: executes the orders of its DatabaseThread one after the other, until a message without an order.
 *
 * @param work must call `assertWanted` between its steps
 * @param movedWith returns buffers of a result that move to the main thread instead of being copied
 */
export function serveOrders<Order, Result>(
  opening: Opening,
  work: (connection: Connection, order: Order, assertWanted: AssertWanted) => Result,
  movedWith: (result: Result) => readonly ArrayBuffer[] = () => [],
): void {
  let connection: Connection | undefined;
  const answer = (order: Order, flag: AbandonedFlag | undefined): Answer => {
    const isWanted = wantedUntil(flag);
    const assertWanted = () => {
      pauseCalls();
      isWanted();
    };
    try {
      assertWanted();
      connection ??= open(opening);
      return { value: work(connection, order, assertWanted) };
    } catch (error) {
      if (error instanceof AbandonedError) return { abandoned: true };
      return { error: reportOf(error) };
    }
  };
  parentPort?.on('message', ({ order, abandoned }: Message<Order>) => {
    if (order !== undefined) {
      const answered = callNative(() => answer(order, abandoned));
      parentPort?.postMessage(answered, 'value' in answered ? movedWith(answered.value as Result) : []);
      return;
    }
    callNative(() => connection?.close());
    parentPort?.close();
  });
  endLoading();
}

/** Runs in a thread that only reads, like `serveOrders`. Each result belongs to one state of the store. */
export function serveReads<Order, Result>(
  work: (connection: Connection, order: Order, assertWanted: AssertWanted) => Result,
  movedWith?: (result: Result) => readonly ArrayBuffer[],
): void {
  const inOneState = (connection: Connection, order: Order, assertWanted: AssertWanted) => {
    connection.run('BEGIN');
    try {
      return work(connection, order, assertWanted);
    } finally {
      connection.run('COMMIT');
    }
  };
  serveOrders({ readOnly: true, pragmas: READ_PRAGMAS }, inOneState, movedWith);
}

function open({ pragmas, ...options }: Opening): Connection {
  const opened = new Connection((workerData as { path: string }).path, options);
  opened.exec(pragmas);
  return opened;
}
