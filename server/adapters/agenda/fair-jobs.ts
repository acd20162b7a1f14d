import type { JobId, JobParameters } from 'agenda';
import type { Lane } from '../../domain/fairness/lanes.js';
import type { Lease } from '../../domain/fairness/shared-resource.js';
import type { JobData, JobName, JobSlots } from '../../ports/job-queue.js';
import type { CrashCounted, LaneJobs, RunnableJobs } from './job-backend.js';

/**
 * Jobs whose slots are assigned so that no tenant delays another. A job is locked only when a slot is free for it, and
 * keeps the slot until its attempt ends. Until then the job stays in the store unchanged.
 */
export class FairJobs implements RunnableJobs {
  readonly #jobs: LaneJobs;
  readonly #slots = new Map<string, JobSlots>();
  readonly #places = new Map<string, Lease>();
  #querying: Promise<unknown> = Promise.resolve();

  constructor(jobs: LaneJobs) {
    this.#jobs = jobs;
  }

  /** Makes jobs of this name take slots from now on. */
  share(name: string, slots: JobSlots): void {
    this.#slots.set(name, slots);
  }

  async getNextJobToRun(name: string, nextScanAt: Date, lockDeadline: Date): Promise<CrashCounted | undefined> {
    const slots = this.#slots.get(name);
    if (!slots) return this.#jobs.getNextJobToRun(name, nextScanAt, lockDeadline);
    // Queries run one at a time: each must know which slots the previous one has taken.
    const found = this.#querying.then(() => this.#query(name, lockDeadline, slots));
    this.#querying = found.catch(() => {});
    return found;
  }

  async saveJobState(...[job, ...rest]: Parameters<RunnableJobs['saveJobState']>): Promise<void> {
    const state = { ...job };
    const hasEnded = !job.lockedAt;
    // Agenda removes the lock before it stores the end of an attempt. Its periodic check of running jobs would report an
    // attempt that ends just then as canceled.
    if (hasEnded) job.lockedAt = new Date();
    try {
      await this.#jobs.saveJobState(state, ...rest);
    } finally {
      if (hasEnded) this.#release(job._id);
    }
  }

  async unlockJob(job: JobParameters): Promise<void> {
    this.#release(job._id);
    await this.#jobs.unlockJob(job);
  }

  async unlockJobs(ids: (JobId | string)[]): Promise<void> {
    for (const id of ids) this.#release(id);
    await this.#jobs.unlockJobs(ids);
  }

  /** Locks only jobs that are due. A job locked ahead of its time would keep its slot until then. */
  async #query(name: string, lockDeadline: Date, slots: JobSlots): Promise<CrashCounted | undefined> {
    for (const passedOver of slots.turns()) {
      const job = await this.#jobs.getNextJobToRun(name, new Date(), lockDeadline, passedOver);
      if (!job) continue;
      this.#release(job._id);
      this.#places.set(String(job._id), slots.take(laneOf(job)));
      return job;
    }
    return undefined;
  }

  #release(id: JobId | string | undefined): void {
    const key = String(id);
    const place = this.#places.get(key);
    this.#places.delete(key);
    place?.release();
  }
}

function laneOf({ data }: JobParameters): Lane {
  const { organizationId, webhookId = '' } = data as Partial<JobData['deliver-outbound']> &
    Pick<JobData[JobName], 'organizationId'>;
  return { tenant: organizationId, name: webhookId };
}
