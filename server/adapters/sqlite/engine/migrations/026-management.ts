/**
 * Adds an index of the audit log by source, in the order in which the log is read, the user who revoked a token,
 * indexes of tokens that include revoked ones, and usage by day.
 */
export const management = `
  CREATE INDEX audit_events_by_source ON audit_events (org, source, occurred_at, id);

  ALTER TABLE api_tokens ADD COLUMN revoked_by TEXT;
  CREATE INDEX api_tokens_by_creation ON api_tokens (org, created_at, id);
  CREATE INDEX api_tokens_by_user_and_creation ON api_tokens (org, user_id, created_at, id);

  CREATE TABLE daily_usage (
    org INTEGER NOT NULL REFERENCES organizations (key),
    day TEXT NOT NULL,
    stored INTEGER NOT NULL DEFAULT 0,
    merged INTEGER NOT NULL DEFAULT 0,
    replayed INTEGER NOT NULL DEFAULT 0,
    searched INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (org, day)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX daily_usage_by_day ON daily_usage (day);
`;
