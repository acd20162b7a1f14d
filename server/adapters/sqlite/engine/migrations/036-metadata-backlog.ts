/**
 * Adds the facets and metadata values that are not in their indexes yet. A row is a facet, or a key and its value. See
 * MetadataBacklog.
 */
export const metadataBacklog = `
  CREATE TABLE metadata_backlog (
    org INTEGER NOT NULL,
    live INTEGER NOT NULL,
    facet TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    value ANY,
    PRIMARY KEY (org, live, facet, key, seq)
  ) STRICT, WITHOUT ROWID;
`;
