/**
 * Near-duplicates are looked up by the hash of their words. Rows of before
 * keep a hash that no content has: they are found as equal alone, until their
 * content changes.
 */
export const words = `
  DROP INDEX memories_by_folded_content;
  ALTER TABLE memories RENAME COLUMN folded_hash TO words_hash;
  CREATE INDEX memories_by_words ON memories (org, subject_key, words_hash) WHERE deleted_at IS NULL;
`;
