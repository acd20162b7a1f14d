/** Adds the subscriptions of organizations at the billing provider, and its received events. */
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
