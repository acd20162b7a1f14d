/**
 * Contents that fold alike are found by a hash. Rows of before have none: see findByFold, which computes it when it is
 * first needed, so that this step does not take longer the more there is.
 */
export const folds = `
  ALTER TABLE memories ADD COLUMN fold_hash TEXT;
  CREATE INDEX memories_by_fold ON memories (org, subject_key, words_hash, fold_hash) WHERE deleted_at IS NULL;
`;
