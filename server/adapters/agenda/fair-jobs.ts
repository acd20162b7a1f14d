import type { JobId, JobParameters } from 'agenda';
import type { Lane } from '../../domain/fairness/lanes.js';
import type { Lease } from '../../domain/fairness/shared-resource.js';
import type { JobData, JobName, JobSlots } from '../../ports/job-queue.js';
import type { CrashCounted, LaneJobs, RunnableJobs } from './job-backend.js';

/**
 * Jobs of which those with slots are chosen so that no tenant holds up another: a job is locked only when it has a
 * place, and keeps the place until its attempt ends. What has no place stays in the store, untouched.
 */
export class FairJobs implements RunnableJobs {
  readonly #jobs: LaneJobs;
  readonly #slots = new Map<string, JobSlots>();
  readonly #places = new Map<string, Lease>();
  #looking: Promise<unknown> = Promise.resolve();

  constructor(jobs: LaneJobs) {
    this.#jobs = jobs;
  }

  /** From now on jobs of the name take places. */
  share(name: string, slots: JobSlots): void {
    this.#slots.set(name, slots);
  }

  async getNextJobToRun(name: string, nextScanAt: Date, lockDeadline: Date): Promise<CrashCounted | undefined> {
    const slots = this.#slots.get(name);
    if (!slots) return this.#jobs.getNextJobToRun(name, nextScanAt, lockDeadline);
    // One after the other: each look must know which places the one before has taken.
    const found = this.#looking.then(() => this.#look(name, lockDeadline, slots));
    this.#looking = found.catch(() => {});
    return found;
  }

  async saveJobState(...[job, ...rest]: Parameters<RunnableJobs['saveJobState']>): Promise<void> {
    try {
      await this.#jobs.saveJobState(job, ...rest);
    } finally {
      if (!job.lockedAt) this.#release(job._id);
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

  /** Only what is due: a job that is locked ahead of its time would keep its place until then. */
  async #look(name: string, lockDeadline: Date, slots: JobSlots): Promise<CrashCounted | undefined> {
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
