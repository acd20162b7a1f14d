/** Adds the audit events that are not in the indexed table yet. See AuditBacklog. */
export const auditBacklog = `
  CREATE TABLE audit_backlog (
    key INTEGER PRIMARY KEY,
    org INTEGER NOT NULL,
    id TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    user_id TEXT,
    memory_id TEXT,
    request_id TEXT,
    batch_id TEXT,
    source TEXT NOT NULL,
    ip TEXT,
    user_agent TEXT,
    metadata TEXT NOT NULL
  ) STRICT;
`;
