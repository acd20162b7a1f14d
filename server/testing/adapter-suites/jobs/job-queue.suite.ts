import type { JobQueue } from '../../../ports/job-queue.js';
import type { Store } from '../../../ports/store.js';
import { endsSuite } from './job-queue-ends.suite.js';
import { lanesSuite } from './job-queue-lanes.suite.js';
import { retriesSuite } from './job-queue-retries.suite.js';
import { runsSuite } from './job-queue-runs.suite.js';

/** A store with the queue that runs its jobs. */
export interface QueuedStore {
  store: Store;
  /** The queue, not yet started. */
  jobs: JobQueue;
}

/** Opens queues for an adapter suite. The adapter's test closes them and deletes their data. */
export interface JobQueueOpening {
  openEmpty(): Promise<QueuedStore>;
  /** Opens the same data again as after a kill: nothing of the first process is closed. */
  afterCrash(crashed: QueuedStore): Promise<QueuedStore>;
}

/** Runs the tests that the job queue of every store must pass. */
export function jobQueueSuite(name: string, opening: JobQueueOpening): void {
  runsSuite(name, opening);
  retriesSuite(name, opening);
  endsSuite(name, opening);
  lanesSuite(name, opening);
}
