import type { Lane, PassedOver } from '../domain/fairness/lanes.js';
import type { Lease } from '../domain/fairness/shared-resource.js';
import type { Microseconds } from '../domain/timestamp.js';

/** What each job is given. Ids alone: the rows they name hold the rest, and nothing of a tenant's is kept twice. */
export interface JobData {
  /** Ingests what an inbound delivery brought (section 6.1). */
  'ingest-delivery': { organizationId: string; deliveryKey: string };
  /** Sends one event to one outbound webhook (section 6.2). */
  'deliver-outbound': {
    organizationId: string;
    /** The endpoint, which is the job's lane. Absent in jobs that an earlier release enqueued. */
    webhookId?: string;
    deliveryId: string;
  };
  /** Removes everything about a subject. */
  'erase-subject': { organizationId: string; erasureId: string };
}

export type JobName = keyof JobData;

/** A job as a unit of work enqueues it: `unit.enqueue({ name: 'deliver-outbound', data })`. */
export type NewJob = {
  [Name in JobName]: {
    name: Name;
    data: JobData[Name];
    /** Not before; at once unless given. */
    runAt?: Microseconds;
  };
}[JobName];

/** The job is not done and has not failed: it runs again after so long, its attempts counted anew. */
interface Deferral {
  deferMs: number;
}

/** The places that jobs of one name share among tenants. */
export interface JobSlots {
  /**
   * Returns whom to pass over in the next look for a job. If that look finds nothing, the next entry applies. None if
   * no place is free.
   */
  turns(): readonly PassedOver[];
  /** Takes the place of a job that a look found, until its attempt ends. */
  take(lane: Lane): Lease;
}

/** How jobs of one name are run. */
export interface JobHandler<Name extends JobName = JobName> {
  /** How many run at once in one process. */
  concurrency: number;
  /** Bounds what each tenant has of that; a job has no share unless given. */
  slots?: JobSlots;
  /**
   * Delays before the second, third, ... run of a job whose run threw, which is a fault of the service. After the last
   * of them a fault ends the job. What a run reports without throwing, such as a deferral, does not count.
   */
  faultRetryDelaysMs: readonly number[];
  /** Share by which such a delay is shortened or lengthened at random, in [0, 1]; 0 unless given. */
  jitter?: number;
  /** An attempt that takes longer counts as lost with its process, and the job is run again; two minutes unless given. */
  lockMs?: number;

  /**
   * Makes one attempt. Jobs run at least once, so doing it again must do no
   * harm. The attempt fails if it throws.
   */
  run(data: JobData[Name]): Promise<Deferral | undefined>;

  /**
   * Told when a job is given up: its last attempt failed, or it took its
   * process down again and again.
   *
   * @param errorName the class of the error, or `ProcessCrash`
   */
  giveUp?(data: JobData[Name], errorName: string): Promise<void>;
}

/** Jobs of names without a handler wait. */
export type JobHandlers = { [Name in JobName]?: JobHandler<Name> };

/** One attempt that ended. */
export interface FinishedAttempt {
  name: JobName;
  outcome: 'done' | 'deferred' | 'retried' | 'failed';
  durationMs: number;
}

/** What of one name is not done. */
export interface JobBacklog {
  name: JobName;
  /** Due or running. */
  waiting: number;
  /** Given up; kept for 30 days. */
  failed: number;
  /** How long the longest waiting one has been due, 0 where none waits. */
  oldestWaitMs: number;
}

/**
 * Runs the jobs that units of work enqueued in the same store. A job starts
 * right after the commit that enqueued it, runs at least once, and survives
 * the end of the process: one that was running then is run again.
 *
 * Every adapter must pass `testing/job-queue.suite.ts`. Disposing of a
 * queue starts no more jobs, waits up to 25 seconds for those that run, and
 * gives the others back.
 */
export interface JobQueue extends AsyncDisposable {
  /**
   * Begins to run jobs. Called once.
   *
   * @throws {StoreUnavailableError}
   */
  start(handlers: JobHandlers): Promise<void>;

  /** What waits and what was given up, by name; names with nothing of both may be left out. */
  backlog(): Promise<JobBacklog[]>;

  /** Calls back after each attempt; the returned function ends that. */
  onFinished(listener: (attempt: FinishedAttempt) => void): () => void;
}
