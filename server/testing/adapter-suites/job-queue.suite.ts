import type { JobQueue } from '../../ports/job-queue.js';
import type { Store } from '../../ports/store.js';
import { endsSuite } from './job-queue-ends.suite.js';
import { lanesSuite } from './job-queue-lanes.suite.js';
import { retriesSuite } from './job-queue-retries.suite.js';
import { runsSuite } from './job-queue-runs.suite.js';

/** A store and the queue that runs its jobs. */
export interface QueuedStore {
  store: Store;
  /** Not started. */
  jobs: JobQueue;
}

/** How an adapter suite gets its queues. The adapter's test ends them and removes what they left. */
export interface JobQueueOpening {
  openEmpty(): Promise<QueuedStore>;
  /** Opens what was stored again, as after the process had been killed: nothing of the first is ended properly. */
  afterCrash(crashed: QueuedStore): Promise<QueuedStore>;
}

/** What the job queue of every store must do. */
export function jobQueueSuite(name: string, opening: JobQueueOpening): void {
  runsSuite(name, opening);
  retriesSuite(name, opening);
  endsSuite(name, opening);
  lanesSuite(name, opening);
}
