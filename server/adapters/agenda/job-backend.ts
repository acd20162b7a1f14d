import type { JobParameters, JobRepository } from 'agenda';
import type { PassedOver } from '../../domain/fairness/lanes.js';
import type { JobBacklog, JobName, NewJob } from '../../ports/job-queue.js';

/**
 * The part of a store that keeps its jobs, as {@link AgendaJobQueue} needs it. The store's units of work write the
 * jobs. The queue locks, updates and removes them through the repository.
 */
export interface JobBackend {
  readonly name: string;

  readonly repository: LaneJobs;

  /**
   * Prepares the repository. A store used by a single process releases the locks that its last process held.
   *
   * @throws {StoreUnavailableError}
   */
  connect(): Promise<void>;

  /** Calls `listener` after each commit of this process that enqueued jobs, with their names. */
  onEnqueued(listener: (names: ReadonlySet<JobName>) => void): void;

  backlog(): Promise<JobBacklog[]>;
}

/**
 * The methods that Agenda calls on a repository whose jobs it only runs. Beyond Agenda's own interface, `saveJobState`
 * removes a job for which {@link isDone} is true, and `getNextJobToRun` may return {@link CrashCounted} jobs.
 */
export type RunnableJobs = Pick<JobRepository, 'getNextJobToRun' | 'saveJobState' | 'unlockJob' | 'unlockJobs'>;

/** Jobs that can be queried lane by lane. */
export interface LaneJobs extends Omit<RunnableJobs, 'getNextJobToRun'> {
  /** @param passedOver whose jobs are not returned */
  getNextJobToRun(
    name: string,
    nextScanAt: Date,
    lockDeadline: Date,
    passedOver?: PassedOver,
  ): Promise<CrashCounted | undefined>;
}

/** A job with the number of times that a process ended while running it. */
export type CrashCounted = JobParameters & { crashes?: number };

/** How long jobs are kept after their last attempt failed. */
export const FAILED_JOBS_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Returns the time of the first attempt of a job, not before its `runAt`. */
export function firstRunAt({ runAt }: NewJob): Date {
  return new Date(runAt === undefined ? Date.now() : Math.ceil(runAt / 1_000));
}

/** Reports if a job whose attempt has ended needs no other attempt and has no failure to keep. */
export function isDone({ lockedAt, nextRunAt, failCount }: JobParameters): boolean {
  return !lockedAt && nextRunAt === null && !failCount;
}
