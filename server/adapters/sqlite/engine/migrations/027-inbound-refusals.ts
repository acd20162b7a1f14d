/** Counts the refused requests of each inbound webhook, and indexes inbound deliveries by state. */
export const inboundRefusals = `
  ALTER TABLE inbound_webhooks ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE inbound_webhooks ADD COLUMN refused_at INTEGER;
  ALTER TABLE inbound_webhooks ADD COLUMN refused_reason TEXT;

  CREATE INDEX inbound_deliveries_by_state ON inbound_deliveries (org, webhook_id, state, received_at, key);
`;
