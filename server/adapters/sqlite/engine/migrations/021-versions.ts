/**
 * Adds versions of memories. A version is removed with its memory. `memories.versions` counts all versions that a
 * memory ever had, so that no number is used twice.
 */
export const versions = `
  CREATE TABLE memory_versions (
    key INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    memory_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    replaced_at INTEGER NOT NULL,
    subject_key TEXT NOT NULL,
    metadata TEXT NOT NULL,
    content TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX memory_versions_by_number ON memory_versions (org, memory_id, number);
  CREATE INDEX memory_versions_by_time ON memory_versions (org, memory_id, replaced_at);
  CREATE INDEX memory_versions_by_subject ON memory_versions (org, subject_key) WHERE subject_key <> '';

  ALTER TABLE memories ADD COLUMN versions INTEGER NOT NULL DEFAULT 0;

  CREATE TRIGGER memory_versions_unused AFTER DELETE ON memories
  BEGIN
    DELETE FROM memory_versions WHERE org = OLD.org AND memory_id = OLD.id;
  END;
`;
