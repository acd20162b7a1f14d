import type { JobId, JobParameters } from 'agenda';
import type { CrashCounted, RunnableJobs } from './job-backend.js';

/**
 * Jobs of a queue that may end while it is looking for the next one: what is
 * found from then on is given back, since nobody runs it.
 */
export class ClosableJobs implements RunnableJobs {
  readonly #jobs: RunnableJobs;
  readonly #looks = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(jobs: RunnableJobs) {
    this.#jobs = jobs;
  }

  /** From now on nothing is found. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves once what was being looked for is given back. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#looks);
  }

  async getNextJobToRun(...bounds: Parameters<RunnableJobs['getNextJobToRun']>): Promise<CrashCounted | undefined> {
    if (this.#isClosed) return undefined;
    const looking = this.#look(bounds);
    this.#looks.add(looking);
    try {
      return await looking;
    } finally {
      this.#looks.delete(looking);
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

  async #look(bounds: Parameters<RunnableJobs['getNextJobToRun']>): Promise<CrashCounted | undefined> {
    const job = await this.#jobs.getNextJobToRun(...bounds);
    if (!job?._id || !this.#isClosed) return job;
    await this.#jobs.unlockJobs([job._id]);
    return undefined;
  }
}
