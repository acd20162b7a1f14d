import type { JobId, JobParameters } from 'agenda';
import type { CrashCounted, RunnableJobs } from './job-backend.js';

/**
 * Jobs of a queue that can close while it queries for the next job. A job that is locked after that is unlocked, since
 * nobody runs it.
 */
export class ClosableJobs implements RunnableJobs {
  readonly #jobs: RunnableJobs;
  readonly #queries = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(jobs: RunnableJobs) {
    this.#jobs = jobs;
  }

  /** Makes every later query return nothing. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when the queries under way have ended and their jobs are unlocked. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#queries);
  }

  async getNextJobToRun(...bounds: Parameters<RunnableJobs['getNextJobToRun']>): Promise<CrashCounted | undefined> {
    if (this.#isClosed) return undefined;
    const querying = this.#query(bounds);
    this.#queries.add(querying);
    try {
      return await querying;
    } finally {
      this.#queries.delete(querying);
    }
  }

  async saveJobState(...state: Parameters<RunnableJobs['saveJobState']>): Promise<void> {
    await this.#jobs.saveJobState(...state);
  }

  async unlockJob(job: JobParameters): Promise<void> {
    await this.#jobs.unlockJob(job);
  }

  async unlockJobs(ids: (JobId | string)[]): Promise<void> {
    await this.#jobs.unlockJobs(ids);
  }

  async #query(bounds: Parameters<RunnableJobs['getNextJobToRun']>): Promise<CrashCounted | undefined> {
    const job = await this.#jobs.getNextJobToRun(...bounds);
    if (!job?._id || !this.#isClosed) return job;
    await this.#jobs.unlockJobs([job._id]);
    return undefined;
  }
}
