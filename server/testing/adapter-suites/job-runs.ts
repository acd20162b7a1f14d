import type { FinishedAttempt, JobQueue } from '../../ports/job-queue.js';

/** Resolves with the attempts that end from now on, once there are so many. */
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

/** What a test holds something back with, and lets it go on. */
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
