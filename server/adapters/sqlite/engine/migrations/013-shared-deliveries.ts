/**
 * Stores the body of an event once for all of its deliveries, and removes it with the last of them. Older deliveries
 * keep their own. The lane of a job (see `FairJobs`) is a computed column, so older jobs have one too.
 */
export const sharedDeliveries = `
  CREATE TABLE outbound_payloads (
    key INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    body TEXT NOT NULL
  ) STRICT;

  ALTER TABLE outbound_deliveries ADD COLUMN payload INTEGER REFERENCES outbound_payloads (key);
  CREATE INDEX outbound_deliveries_by_payload ON outbound_deliveries (payload) WHERE payload IS NOT NULL;

  CREATE TRIGGER outbound_payloads_unused AFTER DELETE ON outbound_deliveries
  WHEN OLD.payload IS NOT NULL AND NOT EXISTS (SELECT 1 FROM outbound_deliveries WHERE payload = OLD.payload)
  BEGIN
    DELETE FROM outbound_payloads WHERE key = OLD.payload;
  END;

  ALTER TABLE jobs ADD COLUMN lane TEXT
    GENERATED ALWAYS AS ((data ->> 'organizationId') || '/' || coalesce(data ->> 'webhookId', '')) VIRTUAL;
  CREATE INDEX jobs_by_lane ON jobs (name, lane, next_run_at, key)
    WHERE locked_at IS NULL AND next_run_at IS NOT NULL;
`;
