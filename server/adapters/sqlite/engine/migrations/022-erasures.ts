/** Adds erasures of subjects. The subject is stored only while its erasure runs. */
export const erasures = `
  CREATE TABLE erasures (
    key INTEGER PRIMARY KEY,
    org INTEGER NOT NULL REFERENCES organizations (key),
    id TEXT NOT NULL,
    subject_key TEXT,
    erasure TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX erasures_by_id ON erasures (org, id);
  CREATE INDEX erasures_by_subject ON erasures (org, subject_key) WHERE subject_key IS NOT NULL;
`;
