/**
 * Adds an index of the audit log by source, in the order in which the log is read, the user who revoked a token, and
 * indexes of tokens that include revoked ones.
 */
export const management = `
  CREATE INDEX audit_events_by_source ON audit_events (org, source, occurred_at, id);

  ALTER TABLE api_tokens ADD COLUMN revoked_by TEXT;
  CREATE INDEX api_tokens_by_creation ON api_tokens (org, created_at, id);
  CREATE INDEX api_tokens_by_user_and_creation ON api_tokens (org, user_id, created_at, id);
`;
