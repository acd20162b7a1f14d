/**
 * `seq` is the order of insertion, which within an organization is the order
 * of created_at. `org` is the organization's integer key; every index starts
 * with it. Active and deleted memories have separate indexes, so that no read
 * of one skips the other.
 *
 * Wide columns come last, so that reading a narrow one does not follow the
 * overflow pages of a long content.
 */
export const init = `
  CREATE TABLE organizations (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    clock INTEGER NOT NULL DEFAULT 0,
    newest INTEGER NOT NULL DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0,
    settings TEXT NOT NULL
  ) STRICT;

  CREATE TABLE memories (
    seq INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    words INTEGER NOT NULL,
    subject_key TEXT NOT NULL DEFAULT '',
    external_key TEXT,
    scope_source TEXT NOT NULL DEFAULT '',
    scope_project TEXT NOT NULL DEFAULT '',
    content_hash TEXT NOT NULL,
    folded_hash TEXT NOT NULL,
    metadata TEXT NOT NULL,
    content TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX memories_by_id ON memories (org, id);
  CREATE UNIQUE INDEX memories_by_content ON memories (org, subject_key, content_hash) WHERE deleted_at IS NULL;
  CREATE INDEX memories_by_folded_content ON memories (org, subject_key, folded_hash) WHERE deleted_at IS NULL;
  CREATE UNIQUE INDEX memories_by_external_key ON memories (org, external_key, scope_source, scope_project)
    WHERE deleted_at IS NULL AND external_key IS NOT NULL;
  CREATE INDEX memories_deleted_by_external_key
    ON memories (org, external_key, scope_source, scope_project, deleted_at)
    WHERE deleted_at IS NOT NULL AND external_key IS NOT NULL;
  CREATE INDEX memories_active_by_creation ON memories (org, created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX memories_deleted_by_creation ON memories (org, created_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX memories_active_by_change ON memories (org, updated_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX memories_deleted_by_change ON memories (org, updated_at, id) WHERE deleted_at IS NOT NULL;

  CREATE TABLE facets (
    org INTEGER NOT NULL,
    live INTEGER NOT NULL,
    facet TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (org, live, facet, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE fingerprints (
    key INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY,
    org INTEGER NOT NULL,
    fingerprint INTEGER NOT NULL,
    embedding BLOB NOT NULL
  ) STRICT;

  CREATE INDEX vectors_by_fingerprint ON vectors (org, fingerprint);

  CREATE VIRTUAL TABLE keywords USING fts5 (
    terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
  );
  CREATE TABLE keyword_state (
    key INTEGER PRIMARY KEY CHECK (key = 1),
    seq INTEGER NOT NULL
  ) STRICT;
  INSERT INTO keyword_state (key, seq) VALUES (1, 0);
  CREATE VIRTUAL TABLE keyword_terms USING fts5vocab (keywords, row);
  CREATE VIRTUAL TABLE keyword_instances USING fts5vocab (keywords, instance);

  CREATE TABLE audit_events (
    key INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    user_id TEXT,
    memory_id TEXT,
    request_id TEXT,
    batch_id TEXT,
    source TEXT NOT NULL,
    ip TEXT,
    user_agent TEXT,
    metadata TEXT NOT NULL
  ) STRICT;

  CREATE INDEX audit_events_by_time ON audit_events (org, occurred_at);

  CREATE TABLE usage (
    org INTEGER NOT NULL REFERENCES organizations (key),
    period TEXT NOT NULL,
    ingest INTEGER NOT NULL DEFAULT 0,
    search INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (org, period)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE memberships (
    org INTEGER NOT NULL REFERENCES organizations (key),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    PRIMARY KEY (org, user_id)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX memberships_by_user ON memberships (user_id);

  CREATE TABLE api_tokens (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    last_four TEXT NOT NULL,
    abilities TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE probes (
    key INTEGER PRIMARY KEY CHECK (key = 1),
    written_at INTEGER NOT NULL
  ) STRICT;
`;
