/**
 * Adds the mark of memories that take no part in de-duplication. The hashes of such a memory have a suffix: see
 * `ownHash`.
 */
export const distinctMemories = `
  ALTER TABLE memories ADD COLUMN is_distinct INTEGER NOT NULL DEFAULT 0;
`;
