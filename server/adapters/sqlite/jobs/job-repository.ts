import type { JobId, JobParameters } from 'agenda';
import type { PassedOver } from '../../../domain/fairness/lanes.js';
import { type CrashCounted, isDone, type LaneJobs } from '../../agenda/job-backend.js';
import type { Connection } from '../engine/connection.js';
import { type JobRow, stateOf, toJob } from './job-rows.js';
import { dueJob, type JobSearch, lostJob } from './next-job.js';

/** Locks and updates jobs in transactions of the embedded database. */
export class SqliteJobRepository implements LaneJobs {
  readonly #reader: Connection;
  readonly #writing: Connection;
  readonly #write: <T>(work: () => T) => Promise<T>;

  /** @param write runs statements on `writing` in a transaction, and resolves when that is durable */
  constructor(reader: Connection, writing: Connection, write: <T>(work: () => T) => Promise<T>) {
    this.#reader = reader;
    this.#writing = writing;
    this.#write = write;
  }

  /** Locks a job whose lock has expired, or else the job due longest. Counts a crash if the expired job had started. */
  async getNextJobToRun(
    name: string,
    nextScanAt: Date,
    lockDeadline: Date,
    passedOver?: PassedOver,
  ): Promise<CrashCounted | undefined> {
    const search = { name, until: nextScanAt.getTime(), lockDeadline: lockDeadline.getTime(), passedOver };
    // Most calls find no job, and then nothing is committed.
    if (lostJob(this.#reader, search) === undefined && dueJob(this.#reader, search) === undefined) return undefined;

    const row = await this.#write(() => this.#lock(search));
    return row && toJob(row);
  }

  async saveJobState(job: JobParameters): Promise<void> {
    const key = Number(job._id);
    const { changes } = await this.#write(() =>
      isDone(job)
        ? this.#writing.run('DELETE FROM jobs WHERE key = ?', key)
        : this.#writing.run(
            `UPDATE jobs SET next_run_at = ?, locked_at = ?, last_run_at = ?, last_finished_at = ?, failed_at = ?,
               fail_count = ?, fail_reason = ? WHERE key = ?`,
            ...stateOf(job),
            key,
          ),
    );
    if (changes === 0) throw new Error(`job ${job._id} no longer exists`);
  }

  async unlockJob({ _id }: JobParameters): Promise<void> {
    const sql = 'UPDATE jobs SET locked_at = NULL WHERE key = ? AND next_run_at IS NOT NULL';
    await this.#write(() => this.#writing.run(sql, Number(_id)));
  }

  async unlockJobs(ids: (JobId | string)[]): Promise<void> {
    await this.#write(() => {
      // A job whose lock had expired keeps an expired lock, so that it is found again.
      const sql = 'UPDATE jobs SET locked_at = iif(next_run_at IS NULL, 0, NULL) WHERE key = ?';
      for (const id of ids) this.#writing.run(sql, Number(id));
    });
  }

  #lock(search: JobSearch): JobRow | undefined {
    const lost = lostJob(this.#writing, search);
    const key = lost ?? dueJob(this.#writing, search);
    if (key === undefined) return undefined;
    const crash = lost === undefined ? '' : ', crashes = crashes + (next_run_at IS NULL)';
    return this.#writing.get<JobRow>(
      `UPDATE jobs SET locked_at = ?${crash} WHERE key = ? RETURNING *`,
      Date.now(),
      key,
    );
  }
}
