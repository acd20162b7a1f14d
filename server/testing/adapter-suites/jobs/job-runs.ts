import type { FinishedAttempt, JobQueue } from '../../../ports/job-queue.js';

/** Resolves with the next `count` attempts that end. */
export function attempts(jobs: JobQueue, count: number): Promise<FinishedAttempt[]> {
  const seen: FinishedAttempt[] = [];
  return new Promise((resolve) => {
    const stop = jobs.onFinished((attempt) => {
      seen.push(attempt);
      if (seen.length < count) return;
      stop();
      resolve(seen);
    });
  });
}

/** Blocks work in a test until `open` is called. */
interface Gate {
  opened: Promise<void>;
  open: () => void;
}

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
