/** Adds the time when an event was received, so that old ones can be deleted. Older rows count as received now. */
export const billingEventTimes = `
  ALTER TABLE billing_events ADD COLUMN taken_in_at INTEGER NOT NULL DEFAULT 0;
  UPDATE billing_events SET taken_in_at = unixepoch() * 1000000;
  CREATE INDEX billing_events_by_time ON billing_events (org, taken_in_at);
`;
