import type { JobQueue } from '../../ports/job-queue.js';
import type { Store } from '../../ports/store.js';
import { endsContract } from './job-queue-ends.contract.js';
import { lanesContract } from './job-queue-lanes.contract.js';
import { retriesContract } from './job-queue-retries.contract.js';
import { runsContract } from './job-queue-runs.contract.js';

/** A store and the queue that runs its jobs. */
export interface QueuedStore {
  store: Store;
  /** Not started. */
  jobs: JobQueue;
}

/** How the contract suite gets its queues. The adapter's test ends them and removes what they left. */
export interface JobQueueOpening {
  openEmpty(): Promise<QueuedStore>;
  /** Opens what was stored again, as after the process had been killed: nothing of the first is ended properly. */
  afterCrash(crashed: QueuedStore): Promise<QueuedStore>;
}

/** What the job queue of every store must do. */
export function jobQueueContract(name: string, opening: JobQueueOpening): void {
  runsContract(name, opening);
  retriesContract(name, opening);
  endsContract(name, opening);
  lanesContract(name, opening);
}
