import { Agenda, InMemoryNotificationChannel, type Job, type JobRepository, toJobId } from 'agenda';
import type { Logger } from '../../logger.js';
import type { FinishedAttempt, JobBacklog, JobHandler, JobHandlers, JobName, JobQueue } from '../../ports/job-queue.js';
import { attemptJob, pauseBefore } from './attempt.js';
import { ClosableJobs } from './closable-jobs.js';
import { FairJobs } from './fair-jobs.js';
import type { JobBackend, RunnableJobs } from './job-backend.js';

/** Interval of queries for due jobs that nobody announced: those that another process enqueued or lost. */
const POLL_MS = 1_000;
const LOCK_MS = 120_000;
const DRAIN_TIMEOUT_MS = 25_000;

/** An attempt whose outcome is not stored yet. */
interface Running {
  ended: Promise<void>;
  end: () => void;
  finished: FinishedAttempt | undefined;
}

/** Runs the jobs of a store through Agenda. */
export class AgendaJobQueue implements JobQueue {
  readonly #backend: JobBackend;
  readonly #fair: FairJobs;
  readonly #jobs: ClosableJobs;
  readonly #logger: Logger;
  readonly #channel = new InMemoryNotificationChannel();
  readonly #listeners = new Set<(attempt: FinishedAttempt) => void>();
  readonly #running = new Map<Job, Running>();
  #agenda: Agenda | undefined;

  constructor(backend: JobBackend, logger: Logger) {
    this.#backend = backend;
    this.#fair = new FairJobs(backend.repository);
    this.#jobs = new ClosableJobs(this.#fair);
    this.#logger = logger;
  }

  async start(handlers: JobHandlers): Promise<void> {
    // Agenda would connect in its constructor, where nobody could catch a failure.
    await this.#backend.connect();
    const defined = entriesOf(handlers);
    const agenda = new Agenda({
      backend: {
        name: this.#backend.name,
        repository: this.#jobs as RunnableJobs as JobRepository,
        ownsConnection: false,
        connect: async () => {},
        disconnect: async () => {},
      },
      notificationChannel: this.#channel,
      processEvery: POLL_MS,
      maxConcurrency: defined.reduce((sum, [, { concurrency }]) => sum + concurrency, 0),
      removeOnComplete: false,
    });
    agenda.on('error', (error: unknown) => this.#logger.error({ err: error }, 'the job queue failed'));
    agenda.on('complete', (job: Job) => this.#ended(job));
    for (const [name, handler] of defined) this.#define(agenda, name, handler);
    this.#agenda = agenda;
    this.#backend.onEnqueued((names) => {
      for (const name of names) this.#wake(name);
    });
    await agenda.start();
  }

  async backlog(): Promise<JobBacklog[]> {
    return this.#backend.backlog();
  }

  onFinished(listener: (attempt: FinishedAttempt) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const agenda = this.#agenda;
    this.#agenda = undefined;
    this.#jobs.close();
    // Unlocks jobs that are locked but not running. drain() would keep those locks.
    await agenda?.stop().catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'jobs could not be unlocked; their locks will expire');
    });
    await this.#jobs.settled();
    const allEnded = Promise.all([...this.#running.values()].map(({ ended }) => ended));
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DRAIN_TIMEOUT_MS);
    });
    await Promise.race([allEnded, tooLate]);
    clearTimeout(timer);
  }

  #define(agenda: Agenda, name: JobName, handler: JobHandler): void {
    if (handler.slots) this.#fair.share(name, handler.slots);
    agenda.define(name, (job: Job) => this.#run(name, handler, job), {
      concurrency: handler.concurrency,
      // Twice the concurrency, so that the next jobs are ready when some end.
      lockLimit: handler.concurrency * 2,
      lockLifetime: handler.lockMs ?? LOCK_MS,
      backoff: ({ attempt, error }) => pauseBefore(handler, attempt, error),
    });
  }

  async #run(name: JobName, handler: JobHandler, job: Job): Promise<void> {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running: Running = { ended, end, finished: undefined };
    this.#running.set(job, running);
    const startedAt = performance.now();
    const finish = (outcome: FinishedAttempt['outcome']) => {
      running.finished = { name, outcome, durationMs: performance.now() - startedAt };
    };
    await attemptJob({ name, handler, job, logger: this.#logger, finish });
  }

  /** Runs when the outcome of an attempt is stored, and lets the next job start. */
  #ended(job: Job): void {
    const running = this.#running.get(job);
    this.#running.delete(job);
    if (running?.finished) for (const listener of this.#listeners) listener(running.finished);
    running?.end();
    // Agenda queries for more jobs only when asked, and counts this job as running until its own code has ended.
    setImmediate(() => this.#wake(job.attrs.name as JobName));
  }

  #wake(jobName: JobName): void {
    if (this.#channel.state !== 'connected') return;
    void this.#channel.publish({ jobId: toJobId(''), jobName, nextRunAt: null, priority: 0, timestamp: new Date() });
  }
}

function entriesOf(handlers: JobHandlers): [JobName, JobHandler][] {
  return Object.entries(handlers) as [JobName, JobHandler][];
}
