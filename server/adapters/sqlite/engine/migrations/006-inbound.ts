/**
 * Adds inbound senders and their deliveries. A repeated delivery is recognized
 * by the sender's id of it and by its body. Its memories are stored encrypted
 * until its job ends.
 */
export const inbound = `
  CREATE TABLE inbound_webhooks (
    id TEXT PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    events TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX inbound_webhooks_by_creation ON inbound_webhooks (org, created_at, id);

  CREATE TABLE inbound_deliveries (
    key TEXT NOT NULL UNIQUE,
    org INTEGER NOT NULL REFERENCES organizations (key),
    webhook_id TEXT NOT NULL REFERENCES inbound_webhooks (id),
    delivery_id TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    event TEXT NOT NULL,
    state TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    finished_at INTEGER,
    reason TEXT,
    counts TEXT NOT NULL,
    memories TEXT
  ) STRICT;

  CREATE UNIQUE INDEX inbound_deliveries_by_id ON inbound_deliveries (webhook_id, delivery_id);
  CREATE UNIQUE INDEX inbound_deliveries_by_body ON inbound_deliveries (webhook_id, body_hash);
  CREATE INDEX inbound_deliveries_by_time ON inbound_deliveries (org, webhook_id, received_at, key);
  CREATE INDEX inbound_deliveries_queued ON inbound_deliveries (webhook_id) WHERE state = 'queued';
`;
