/** What the billing provider says of organizations, and which of its events were taken in. */
export const subscriptions = `
  CREATE TABLE subscriptions (
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (org, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE billing_events (
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    PRIMARY KEY (org, id)
  ) STRICT, WITHOUT ROWID;
`;
