/** Adds outbound deliveries. They are listed by webhook, optionally by status, and deleted by age. */
export const outbound = `
  CREATE TABLE outbound_webhooks (
    key INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    description TEXT NOT NULL,
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_until INTEGER,
    disabled_at INTEGER,
    disabled_reason TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX outbound_webhooks_by_id ON outbound_webhooks (org, id);
  CREATE INDEX outbound_webhooks_by_creation ON outbound_webhooks (org, created_at, id);

  CREATE TABLE outbound_deliveries (
    key INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    event TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    next_attempt_at INTEGER,
    last_attempt_at INTEGER,
    last_status INTEGER,
    last_failure TEXT,
    body TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX outbound_deliveries_by_id ON outbound_deliveries (org, id);
  CREATE INDEX outbound_deliveries_by_webhook ON outbound_deliveries (org, webhook_id, created_at, id);
  CREATE INDEX outbound_deliveries_by_status ON outbound_deliveries (org, webhook_id, status, created_at, id);
  CREATE INDEX outbound_deliveries_done ON outbound_deliveries (org, created_at) WHERE status <> 'pending';
`;
