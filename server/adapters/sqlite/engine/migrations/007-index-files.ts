/** The file beside the database that holds an organization's vector index; see SavedIndexes. */
export const indexFiles = `
  CREATE TABLE index_files (
    org INTEGER PRIMARY KEY REFERENCES organizations (key),
    token TEXT NOT NULL
  ) STRICT;
`;
