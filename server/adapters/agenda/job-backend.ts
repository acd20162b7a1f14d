import type { JobParameters, JobRepository } from 'agenda';
import type { PassedOver } from '../../domain/fairness/lanes.js';
import type { JobBacklog, JobName, NewJob } from '../../ports/job-queue.js';

/**
 * Where a store keeps its jobs, as {@link AgendaJobQueue} needs it. The
 * store's units of work write the jobs; the queue locks, updates and removes
 * them through the repository.
 */
export interface JobBackend {
  readonly name: string;

  readonly repository: LaneJobs;

  /**
   * Makes the repository ready. A store that one process has alone frees the
   * jobs that its last process held.
   *
   * @throws {StoreUnavailableError}
   */
  connect(): Promise<void>;

  /** Calls back after each commit of this process that enqueued jobs of these names. */
  onEnqueued(listener: (names: ReadonlySet<JobName>) => void): void;

  backlog(): Promise<JobBacklog[]>;
}

/**
 * What Agenda calls of a repository whose jobs it only runs. Beyond Agenda's
 * own contract, `saveJobState` removes a job for which {@link isDone} holds,
 * and `getNextJobToRun` may give {@link CrashCounted} jobs.
 */
export type RunnableJobs = Pick<JobRepository, 'getNextJobToRun' | 'saveJobState' | 'unlockJob' | 'unlockJobs'>;

/** Jobs that can be looked for lane by lane. */
export interface LaneJobs extends Omit<RunnableJobs, 'getNextJobToRun'> {
  /** @param passedOver whose jobs are not returned */
  getNextJobToRun(
    name: string,
    nextScanAt: Date,
    lockDeadline: Date,
    passedOver?: PassedOver,
  ): Promise<CrashCounted | undefined>;
}

/** A job that knows how often a process ended while it ran. */
export type CrashCounted = JobParameters & { crashes?: number };

/** How long jobs that were given up are kept. */
export const FAILED_JOBS_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** The time of the first attempt of a job, not before its `runAt`. */
export function firstRunAt({ runAt }: NewJob): Date {
  return new Date(runAt === undefined ? Date.now() : Math.ceil(runAt / 1_000));
}

/** Whether a job whose attempt has ended needs no other one and has nothing to tell. */
export function isDone({ lockedAt, nextRunAt, failCount }: JobParameters): boolean {
  return !lockedAt && nextRunAt === null && !failCount;
}
