/**
 * Adds the hash of the words, which finds near-duplicates. Older rows keep a
 * hash that no content has. Until their content changes, only an equal content
 * matches them.
 */
export const words = `
  DROP INDEX memories_by_folded_content;
  ALTER TABLE memories RENAME COLUMN folded_hash TO words_hash;
  CREATE INDEX memories_by_words ON memories (org, subject_key, words_hash) WHERE deleted_at IS NULL;
`;
