/**
 * Adds passwords, sessions, invitations, and the organization of tokens. Lists of
 * an organization omit revoked tokens and settled invitations, and so do their
 * indexes.
 */
export const accounts = `
  ALTER TABLE users ADD COLUMN folded_email TEXT;
  ALTER TABLE users ADD COLUMN password_hash TEXT;
  UPDATE users SET folded_email = lower(email);
  CREATE UNIQUE INDEX users_by_folded_email ON users (folded_email);

  ALTER TABLE memberships ADD COLUMN joined_at INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX memberships_by_joining ON memberships (org, joined_at, user_id);
  CREATE INDEX memberships_by_role ON memberships (org, role);

  ALTER TABLE api_tokens ADD COLUMN org INTEGER REFERENCES organizations (key);
  ALTER TABLE api_tokens ADD COLUMN last_used_at INTEGER;
  UPDATE api_tokens SET org = (SELECT min(org) FROM memberships m WHERE m.user_id = api_tokens.user_id);
  CREATE INDEX api_tokens_by_organization ON api_tokens (org, created_at, id) WHERE revoked_at IS NULL;
  CREATE INDEX api_tokens_by_user ON api_tokens (org, user_id, created_at, id) WHERE revoked_at IS NULL;

  CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX sessions_by_user ON sessions (user_id);

  CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    digest TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    folded_email TEXT NOT NULL,
    role TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    accepted_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX invitations_pending ON invitations (org, created_at, id)
    WHERE accepted_at IS NULL AND revoked_at IS NULL;
  CREATE INDEX invitations_pending_by_address ON invitations (org, folded_email)
    WHERE accepted_at IS NULL AND revoked_at IS NULL;
`;
