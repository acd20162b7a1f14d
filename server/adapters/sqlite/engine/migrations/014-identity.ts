/** Adds the id of the database's data folder, and a known text encrypted with the service's keys; see FolderIdentity. */
export const identity = `
  CREATE TABLE identity (
    key INTEGER PRIMARY KEY CHECK (key = 1),
    folder TEXT NOT NULL,
    canary TEXT
  ) STRICT;
  INSERT INTO identity (key, folder) VALUES (1, lower(hex(randomblob(16))));
`;
