import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './low-priority.js';
import type { WorkAnswer, WorkOrder } from './work-threads.js';

/** Runs in a worker thread and executes the orders of `WorkThreads`, one after the other. */
export function serveWork<Order>(work: (order: Order) => unknown): void {
  lowerPriority();
  let last: Promise<void> = Promise.resolve();
  parentPort?.on('message', ({ order }: WorkOrder<Order>) => {
    last = last.then(async () => parentPort?.postMessage(await answer(order, work)));
  });
}

async function answer<Order>(order: Order, work: (order: Order) => unknown): Promise<WorkAnswer> {
  try {
    return { value: await work(order) };
  } catch (error) {
    return { error };
  }
}
