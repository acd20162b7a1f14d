import { type JobParameters, toJobId } from 'agenda';
import type { NewJob } from '../../../ports/job-queue.js';
import { type CrashCounted, firstRunAt } from '../../agenda/job-backend.js';
import type { Connection } from '../engine/connection.js';

export interface JobRow {
  key: number;
  name: string;
  next_run_at: number | null;
  locked_at: number | null;
  last_run_at: number | null;
  last_finished_at: number | null;
  failed_at: number | null;
  fail_count: number;
  fail_reason: string | null;
  crashes: number;
  data: string;
}

export function insertJob(writing: Connection, job: NewJob): void {
  const sql = 'INSERT INTO jobs (name, next_run_at, data) VALUES (?, ?, ?)';
  writing.run(sql, job.name, firstRunAt(job).getTime(), JSON.stringify(job.data));
}

export function toJob(row: JobRow): CrashCounted {
  return {
    _id: toJobId(String(row.key)),
    name: row.name,
    type: 'normal',
    priority: 0,
    data: JSON.parse(row.data) as unknown,
    nextRunAt: toDate(row.next_run_at) ?? null,
    lockedAt: toDate(row.locked_at),
    lastRunAt: toDate(row.last_run_at),
    lastFinishedAt: toDate(row.last_finished_at),
    failedAt: toDate(row.failed_at),
    failCount: row.fail_count,
    failReason: row.fail_reason ?? undefined,
    crashes: row.crashes,
  };
}

/** Returns the columns that an attempt changes, in the order of the statement that updates them. */
export function stateOf(job: JobParameters): (number | string | null)[] {
  return [
    job.nextRunAt?.getTime() ?? null,
    job.lockedAt?.getTime() ?? null,
    job.lastRunAt?.getTime() ?? null,
    job.lastFinishedAt?.getTime() ?? null,
    job.failedAt?.getTime() ?? null,
    job.failCount ?? 0,
    job.failReason ?? null,
  ];
}

function toDate(at: number | null): Date | undefined {
  return at === null ? undefined : new Date(at);
}
