/**
 * Adds the tombstones of purged memories by their seq. A seq is never used twice, since saved vector indexes may still
 * contain the purged memory under it.
 */
export const purges = `
  CREATE TABLE tombstones (
    seq INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    deleted_at INTEGER NOT NULL,
    purged_at INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX tombstones_by_purge ON tombstones (org, purged_at, id);
  CREATE INDEX organizations_by_retention ON organizations (settings ->> 'deletedRetentionDays');
  CREATE INDEX outbound_deliveries_by_memory ON outbound_deliveries (org, memory_id);
`;
