import type { Deps } from '../deps.js';
import type { JobHandlers } from '../ports/job-queue.js';

/** How each job is run. */
export function jobHandlers(_deps: Deps): JobHandlers {
  return {};
}
