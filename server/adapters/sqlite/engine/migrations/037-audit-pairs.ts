/**
 * Replaces the indexes of the audit log by source and by action with one by both, since every write of a memory changed
 * both. A read by one of them merges the few values of the other.
 */
export const auditPairs = `
  DROP INDEX audit_events_by_source;
  DROP INDEX audit_events_by_action;
  CREATE INDEX audit_events_by_source_and_action ON audit_events (org, source, action, occurred_at, id);
`;
