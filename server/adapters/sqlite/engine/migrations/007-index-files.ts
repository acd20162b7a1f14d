/** Adds the name of the file with an organization's vector index, beside the database; see SavedIndexes. */
export const indexFiles = `
  CREATE TABLE index_files (
    org INTEGER PRIMARY KEY REFERENCES organizations (key),
    token TEXT NOT NULL
  ) STRICT;
`;
