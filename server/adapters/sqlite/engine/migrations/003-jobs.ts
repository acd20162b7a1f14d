/**
 * Adds the jobs that are not done. Times are in milliseconds. A running job has
 * no `next_run_at`. A job that failed for good has neither that nor a lock.
 */
export const jobs = `
  CREATE TABLE jobs (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    next_run_at INTEGER,
    locked_at INTEGER,
    last_run_at INTEGER,
    last_finished_at INTEGER,
    failed_at INTEGER,
    fail_count INTEGER NOT NULL DEFAULT 0,
    fail_reason TEXT,
    crashes INTEGER NOT NULL DEFAULT 0,
    data TEXT NOT NULL
  ) STRICT;

  CREATE INDEX jobs_due ON jobs (name, next_run_at, key) WHERE locked_at IS NULL AND next_run_at IS NOT NULL;
  CREATE INDEX jobs_locked ON jobs (name, locked_at) WHERE locked_at IS NOT NULL;
  CREATE INDEX jobs_given_up ON jobs (name, failed_at) WHERE locked_at IS NULL AND next_run_at IS NULL;
`;
