/** Adds an index of the audit log by source, in the order in which the log is read. */
export const management = `
  CREATE INDEX audit_events_by_source ON audit_events (org, source, occurred_at, id);
`;
