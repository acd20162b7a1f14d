import type { JobBacklog, JobName } from '../../../ports/job-queue.js';
import { FAILED_JOBS_KEPT_MS, type JobBackend } from '../../agenda/job-backend.js';
import type { Connection } from '../engine/connection.js';
import type { Writer } from '../engine/writer.js';
import { SqliteJobRepository } from './job-repository.js';
import type { StagedJobs } from './staged-jobs.js';

interface BacklogRow {
  name: JobName;
  waiting: number;
  failed: number;
  oldest: number | null;
}

/** Stores jobs in the embedded database. Only one process uses it, so at its start no lock is valid. */
export class SqliteJobBackend implements JobBackend {
  readonly name = 'sqlite';
  readonly repository: SqliteJobRepository;
  readonly #reader: Connection;
  readonly #writing: Connection;
  readonly #write: <T>(work: () => T) => Promise<T>;
  readonly #staged: StagedJobs;

  constructor(reader: Connection, writing: Connection, writer: Writer, staged: StagedJobs) {
    this.#reader = reader;
    this.#writing = writing;
    this.#write = (work) => writer.run(async () => work(), { kind: 'service', id: 'jobs' });
    this.#staged = staged;
    this.repository = new SqliteJobRepository(reader, writing, this.#write);
  }

  /** Expires every lock, and deletes jobs that failed for good long ago. */
  async connect(): Promise<void> {
    await this.#write(() => {
      this.#writing.run('UPDATE jobs SET locked_at = 0 WHERE locked_at IS NOT NULL');
      this.#writing.run(
        'DELETE FROM jobs WHERE locked_at IS NULL AND next_run_at IS NULL AND failed_at < ?',
        Date.now() - FAILED_JOBS_KEPT_MS,
      );
    });
  }

  onEnqueued(listener: (names: ReadonlySet<JobName>) => void): void {
    this.#staged.onCommitted(listener);
  }

  async backlog(): Promise<JobBacklog[]> {
    const now = Date.now();
    const rows = this.#reader.all<BacklogRow>(
      `SELECT name,
          count(*) FILTER (WHERE next_run_at <= ?1 OR (next_run_at IS NULL AND locked_at IS NOT NULL)) AS waiting,
          count(*) FILTER (WHERE next_run_at IS NULL AND locked_at IS NULL) AS failed,
          min(coalesce(next_run_at, iif(locked_at IS NULL, NULL, last_run_at))) AS oldest
        FROM jobs GROUP BY name`,
      now,
    );
    return rows.map(({ name, waiting, failed, oldest }) => ({
      name,
      waiting,
      failed,
      oldestWaitMs: oldest === null ? 0 : Math.max(0, now - oldest),
    }));
  }
}
