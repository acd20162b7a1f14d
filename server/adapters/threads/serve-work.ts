import { setPriority } from 'node:os';
import { platform } from 'node:process';
import { parentPort } from 'node:worker_threads';
import type { WorkAnswer, WorkOrder } from './work-threads.js';

/** Niceness of a worker thread. When it competes with the event loop for a processor, it gets about a quarter of it. */
const NICENESS = 5;

/** Runs in a worker thread and executes the orders of `WorkThreads`, one after the other. */
export function serveWork<Order>(work: (order: Order) => unknown): void {
  yieldToEventLoop();
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

/** Lowers the priority of this thread on Linux. Other systems would lower that of the process, event loop included. */
function yieldToEventLoop(): void {
  if (platform === 'linux') setPriority(NICENESS);
}
