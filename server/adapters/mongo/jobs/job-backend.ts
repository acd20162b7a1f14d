import type { Collection } from 'mongodb';
import type { JobBacklog, JobName } from '../../../ports/job-queue.js';
import { FAILED_JOBS_KEPT_MS, type JobBackend } from '../../agenda/job-backend.js';
import type { JobDocument } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import { DueNames } from './due-names.js';
import { MongoJobRepository } from './job-repository.js';

interface BacklogDocument {
  _id: JobName;
  waiting: number;
  failed: number;
  oldest: Date | null;
}

/** The jobs of a database. No lock is released at the start, since other processes may be running jobs. */
export class MongoJobBackend implements JobBackend {
  readonly name = 'mongodb';
  readonly repository: MongoJobRepository;
  readonly #jobs: Collection<JobDocument>;
  readonly #due: DueNames;
  #listener: (names: ReadonlySet<JobName>) => void = () => {};

  constructor(jobs: Collection<JobDocument>) {
    this.#jobs = jobs;
    this.#due = new DueNames(jobs);
    this.repository = new MongoJobRepository(jobs, this.#due);
  }

  /** Removes jobs that failed long ago. */
  async connect(): Promise<void> {
    const failedAt = { $lt: new Date(Date.now() - FAILED_JOBS_KEPT_MS) };
    const old = { lockedAt: null, nextRunAt: null, failedAt } as object;
    await guarded(() => this.#jobs.deleteMany(old));
  }

  onEnqueued(listener: (names: ReadonlySet<JobName>) => void): void {
    this.#listener = listener;
  }

  /** Announces the jobs of a unit that has committed. */
  committed(names: ReadonlySet<JobName>): void {
    for (const name of names) this.#due.add(name);
    if (names.size > 0) this.#listener(names);
  }

  async backlog(): Promise<JobBacklog[]> {
    const now = new Date();
    const isStopped = { $eq: ['$nextRunAt', null] };
    const isLocked = { $ne: ['$lockedAt', null] };
    const isDue = { $and: [{ $not: isStopped }, { $lte: ['$nextRunAt', now] }] };
    const isRunning = { $and: [isStopped, isLocked] };
    const isFailed = { $and: [isStopped, { $not: isLocked }] };
    const found = await guarded(() =>
      this.#jobs
        .aggregate<BacklogDocument>([
          {
            $group: {
              _id: '$name',
              waiting: { $sum: { $cond: [{ $or: [isDue, isRunning] }, 1, 0] } },
              failed: { $sum: { $cond: [isFailed, 1, 0] } },
              oldest: { $min: { $cond: [isDue, '$nextRunAt', { $cond: [isRunning, '$lastRunAt', null] }] } },
            },
          },
          { $sort: { _id: 1 } },
        ])
        .toArray(),
    );
    return found.map(({ _id, waiting, failed, oldest }) => ({
      name: _id,
      waiting,
      failed,
      oldestWaitMs: oldest === null ? 0 : Math.max(0, now.getTime() - oldest.getTime()),
    }));
  }
}
