/**
 * Adds the metadata values by key, ordered: numbers before strings, strings by code point. Other values are null. The
 * primary key finds the value of a memory, and the index finds the memories of a range.
 */
export const metadataValues = `
  CREATE TABLE metadata_values (
    seq INTEGER NOT NULL,
    key TEXT NOT NULL,
    org INTEGER NOT NULL,
    live INTEGER NOT NULL,
    value ANY,
    PRIMARY KEY (seq, key)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO metadata_values (seq, key, org, live, value)
    SELECT m.seq, j.key, m.org, m.deleted_at IS NULL,
      CASE WHEN j.type IN ('integer', 'real') THEN j.atom WHEN j.type = 'text' THEN substr(j.atom, 1, 1025) END
    FROM memories m CROSS JOIN json_each(m.metadata) j WHERE length(j.key) BETWEEN 1 AND 256;

  CREATE INDEX metadata_values_by_value ON metadata_values (org, live, key, value);
`;
