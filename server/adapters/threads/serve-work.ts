import { setPriority } from 'node:os';
import { platform } from 'node:process';
import { parentPort } from 'node:worker_threads';
import type { WorkAnswer, WorkOrder } from './work-threads.js';

/** How far behind the event loop a thread stands when both want a processor: it then gets about a quarter of it. */
const NICENESS = 5;

/** In a thread: does what `WorkThreads` asks of it, one order after the other. */
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

/** Linux has a priority for each thread. Elsewhere it would be that of the process, the event loop included. */
function yieldToEventLoop(): void {
  if (platform === 'linux') setPriority(NICENESS);
}
