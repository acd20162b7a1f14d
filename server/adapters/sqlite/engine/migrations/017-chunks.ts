/**
 * Adds the chunk to the content identity, as `chunkIdentity` computes it; empty if a memory is not a chunk. A facet
 * finds the existing chunks, so that this step reads no other metadata.
 */
export const chunks = `
  ALTER TABLE memories ADD COLUMN chunk TEXT NOT NULL DEFAULT '';

  UPDATE memories SET chunk = (metadata ->> '$.chunkIndex') || ':' || (metadata ->> '$.documentId')
  WHERE seq IN (
    SELECT f.seq FROM organizations o CROSS JOIN facets f
    WHERE f.org = o.key AND f.live IN (0, 1) AND f.facet >= '"chunkIndex":' AND f.facet < '"chunkIndex";'
  )
    AND json_type(metadata, '$.documentId') = 'text' AND length(metadata ->> '$.documentId') BETWEEN 1 AND 512
    AND json_type(metadata, '$.chunkIndex') = 'integer' AND json_type(metadata, '$.chunkTotal') = 'integer'
    AND metadata ->> '$.chunkIndex' >= 0 AND metadata ->> '$.chunkIndex' < metadata ->> '$.chunkTotal'
    AND metadata ->> '$.chunkTotal' <= 9007199254740991;

  DROP INDEX memories_by_content;
  CREATE UNIQUE INDEX memories_by_content ON memories (org, subject_key, content_hash, chunk) WHERE deleted_at IS NULL;
  DROP INDEX memories_by_words;
  CREATE INDEX memories_by_words ON memories (org, subject_key, words_hash, chunk) WHERE deleted_at IS NULL;
  DROP INDEX memories_by_fold;
  CREATE INDEX memories_by_fold ON memories (org, subject_key, words_hash, chunk, fold_hash) WHERE deleted_at IS NULL;
`;
