/**
 * Adds a hash that finds contents that fold to the same text. Older rows have none: findByFold computes it when first
 * needed, so that this step takes the same time for any number of rows.
 */
export const folds = `
  ALTER TABLE memories ADD COLUMN fold_hash TEXT;
  CREATE INDEX memories_by_fold ON memories (org, subject_key, words_hash, fold_hash) WHERE deleted_at IS NULL;
`;
