import type { Lane, PassedOver } from '../domain/fairness/lanes.js';
import type { Lease } from '../domain/fairness/shared-resource.js';
import type { Microseconds } from '../domain/timestamp.js';

/** Input of each job. It consists of ids, so that no data of a tenant is stored twice. */
export interface JobData {
  /** Ingests the memories of an inbound delivery (section 6.1). */
  'ingest-delivery': { organizationId: string; deliveryKey: string };
  /** Sends one event to one outbound webhook (section 6.2). */
  'deliver-outbound': {
    organizationId: string;
    /** The endpoint, which is the job's lane. Undefined in jobs that an earlier release enqueued. */
    webhookId?: string;
    deliveryId: string;
  };
  /** Removes everything about a subject. */
  'erase-subject': { organizationId: string; erasureId: string };
  /** Removes the data of an organization that was deleted. */
  'delete-organization': { organizationId: string };
  /** Moves an organization to another embedder. */
  reembed: { organizationId: string };
}

export type JobName = keyof JobData;

/** A job to enqueue: `unit.enqueue({ name: 'deliver-outbound', data })`. */
export type NewJob = {
  [Name in JobName]: {
    name: Name;
    data: JobData[Name];
    /** Earliest time of the first attempt. Default: immediately. */
    runAt?: Microseconds;
  };
}[JobName];

/** Result of a job that must wait: it runs again after `deferMs`, and its attempts are counted from 0 again. */
interface Deferral {
  deferMs: number;
}

/** The slots that jobs of one name share among tenants. */
export interface JobSlots {
  /**
   * Returns the lanes to exclude in the next search for a job. If that search has no result, the next entry applies.
   * Empty if no slot is free.
   */
  turns(): readonly PassedOver[];
  /** Occupies a slot for a job until its attempt ends. */
  take(lane: Lane): Lease;
}

/** Runs the jobs of one name. */
export interface JobHandler<Name extends JobName = JobName> {
  /** Maximum number of attempts at the same time in one process. */
  concurrency: number;
  /** Limits the share of each tenant. Without it, tenants have no limit. */
  slots?: JobSlots;
  /**
   * Delays before the second, third, … attempt of a job whose attempt threw, which is a fault of the service. A fault
   * after the last delay ends the job. Results without a throw, such as a deferral, do not count.
   */
  faultRetryDelaysMs: readonly number[];
  /** Fraction by which a delay is shortened or lengthened at random, in [0, 1]. Default: 0. */
  jitter?: number;
  /** Time after which an attempt counts as lost with its process, and the job runs again. Default: two minutes. */
  lockMs?: number;

  /** Makes one attempt, which fails if it throws. Jobs run at least once, so a repeated attempt must do no harm. */
  run(data: JobData[Name]): Promise<Deferral | undefined>;

  /**
   * Called when a job ends without success: its last attempt failed, or its process crashed repeatedly.
   *
   * @param errorName the class of the error, or `ProcessCrash`
   */
  giveUp?(data: JobData[Name], errorName: string): Promise<void>;
}

/** Handlers by name. Jobs without a handler wait. */
export type JobHandlers = { [Name in JobName]?: JobHandler<Name> };

/** An attempt that ended. */
export interface FinishedAttempt {
  name: JobName;
  outcome: 'done' | 'deferred' | 'retried' | 'failed';
  durationMs: number;
}

/** The jobs of one name that are not done. */
export interface JobBacklog {
  name: JobName;
  /** Due or running. */
  waiting: number;
  /** Ended without success; kept for 30 days. */
  failed: number;
  /** Time since the oldest waiting job became due; 0 if none waits. */
  oldestWaitMs: number;
}

/**
 * Runs the jobs that units of work enqueued in the same store. A job starts immediately after the commit that enqueued
 * it and runs at least once. If the process ends during an attempt, the job runs again.
 *
 * Every adapter passes `testing/adapter-suites/jobs/job-queue.suite.ts`. Disposing of a queue starts no more jobs, waits up
 * to 25 seconds for running ones, and releases the others.
 */
export interface JobQueue extends AsyncDisposable {
  /**
   * Starts to run jobs. Called once.
   *
   * @throws {StoreUnavailableError}
   */
  start(handlers: JobHandlers): Promise<void>;

  /** Reports waiting and failed jobs by name. Names without any may be omitted. */
  backlog(): Promise<JobBacklog[]>;

  /** Calls `listener` after each attempt. The returned function removes the listener. */
  onFinished(listener: (attempt: FinishedAttempt) => void): () => void;
}
