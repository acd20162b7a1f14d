/** Adds sign-in links, and where each session was started from. */
export const signInLinks = `
  CREATE TABLE sign_in_links (
    digest TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    sets_password INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id, expires_at);

  ALTER TABLE sessions ADD COLUMN ip TEXT;
  ALTER TABLE sessions ADD COLUMN user_agent TEXT;

  DROP INDEX sessions_by_user;
  CREATE INDEX sessions_by_user ON sessions (user_id, created_at, id);
`;
