/** Adds one index per filter of the audit log, each in the order in which the log is read. */
export const audit = `
  DROP INDEX audit_events_by_time;
  CREATE INDEX audit_events_by_time ON audit_events (org, occurred_at, id);
  CREATE INDEX audit_events_by_action ON audit_events (org, action, occurred_at, id);
  CREATE INDEX audit_events_by_actor ON audit_events (org, actor_id, occurred_at, id);
  CREATE INDEX audit_events_by_memory ON audit_events (org, memory_id, occurred_at, id) WHERE memory_id IS NOT NULL;
`;
