import { parentPort, workerData } from 'node:worker_threads';
import { AbandonedError, type AssertWanted, wantedUntil } from './abandonment.js';
import { Connection, type ConnectionOptions } from './connection.js';
import type { Answer, Message } from './database-thread.js';
import { reportOf } from './errors.js';

/** How a thread's connection is opened: options, and statements to begin with. */
interface Opening extends ConnectionOptions {
  pragmas: string;
}

/**
 * In a thread: does what DatabaseThread asks of it, one order after the other, until it is told to end.
 *
 * @param work calls `assertWanted` between its steps
 */
export function serveOrders<Order>(
  opening: Opening,
  work: (connection: Connection, order: Order, assertWanted: AssertWanted) => unknown,
): void {
  let connection: Connection | undefined;
  const answer = (order: Order, assertWanted: AssertWanted): Answer => {
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
      parentPort?.postMessage(answer(order, wantedUntil(abandoned)));
      return;
    }
    connection?.close();
    parentPort?.close();
  });
}

function open({ pragmas, ...options }: Opening): Connection {
  const opened = new Connection((workerData as { path: string }).path, options);
  opened.exec(pragmas);
  return opened;
}
