import type { JobId, JobParameters } from 'agenda';
import { type Collection, type Document, ObjectId } from 'mongodb';
import type { PassedOver } from '../../../domain/fairness/lanes.js';
import { type CrashCounted, isDone, type LaneJobs } from '../../agenda/job-backend.js';
import type { JobDocument } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import type { DueNames } from './due-names.js';
import { stateOf, toJob } from './job-documents.js';

/** The jobs of a database that many processes run. One atomic command locks each job. */
export class MongoJobRepository implements LaneJobs {
  readonly #jobs: Collection<JobDocument>;
  readonly #due: DueNames;

  constructor(jobs: Collection<JobDocument>, due: DueNames) {
    this.#jobs = jobs;
    this.#due = due;
  }

  /** Locks a job whose lock has expired, else the one due longest. A lost started attempt counts as a crash. */
  async getNextJobToRun(
    name: string,
    nextScanAt: Date,
    lockDeadline: Date,
    passedOver?: PassedOver,
  ): Promise<CrashCounted | undefined> {
    if (!(await this.#due.has(name, lockDeadline))) return undefined;
    const others = notOf(passedOver);
    const lockedAt = new Date();
    const options = { returnDocument: 'after' } as const;
    const found = await guarded(async () => {
      const lost = { name, lockedAt: { $lte: lockDeadline }, ...others } as object;
      const crash = { $add: ['$crashes', { $cond: [{ $eq: ['$nextRunAt', null] }, 1, 0] }] };
      const again = await this.#jobs.findOneAndUpdate(lost, [{ $set: { lockedAt, crashes: crash } }], {
        ...options,
        sort: { lockedAt: 1 },
      });
      if (again) return again;
      const due = { name, lockedAt: null, nextRunAt: { $lte: nextScanAt }, ...others } as object;
      const sort = { nextRunAt: 1, _id: 1 } as const;
      return this.#jobs.findOneAndUpdate(due, { $set: { lockedAt } }, { ...options, sort });
    });
    if (!found) return undefined;
    // There may be more.
    this.#due.add(name);
    return toJob(found);
  }

  async saveJobState(job: JobParameters): Promise<void> {
    const _id = new ObjectId(String(job._id));
    const changed = await guarded(async () => {
      if (isDone(job)) return (await this.#jobs.deleteOne({ _id })).deletedCount;
      return (await this.#jobs.updateOne({ _id }, { $set: stateOf(job) })).matchedCount;
    });
    if (job.nextRunAt) this.#due.add(job.name, job.nextRunAt.getTime());
    if (changed === 0) throw new Error(`there is no job ${job._id} any more`);
  }

  async unlockJob({ _id, name }: JobParameters): Promise<void> {
    this.#due.add(name);
    const waiting = { _id: new ObjectId(String(_id)), nextRunAt: { $ne: null } } as object;
    await guarded(() => this.#jobs.updateOne(waiting, { $set: { lockedAt: null } }));
  }

  async unlockJobs(ids: (JobId | string)[]): Promise<void> {
    const locked = { _id: { $in: ids.map((id) => new ObjectId(String(id))) } };
    // A job that was lost stays lost, so that it is locked again as such.
    const lockedAt = { $cond: [{ $eq: ['$nextRunAt', null] }, new Date(0), null] };
    await guarded(() => this.#jobs.updateMany(locked, [{ $set: { lockedAt } }]));
  }
}

/** Matches jobs of other tenants and lanes. Jobs without a lane share one lane. */
function notOf(passedOver: PassedOver | undefined): Document {
  const { tenants = [], lanes = [] } = passedOver ?? {};
  const webhookIds = lanes.map((lane) => lane.slice(lane.indexOf('/') + 1) || null);
  return {
    ...(tenants.length > 0 && { 'data.organizationId': { $nin: tenants } }),
    ...(webhookIds.length > 0 && { 'data.webhookId': { $nin: webhookIds } }),
  };
}
