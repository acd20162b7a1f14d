/** Adds an index of chunks by their place, which finds the neighbours of a chunk. */
export const chunkPlaces = `
  CREATE INDEX memories_by_chunk ON memories (org, subject_key, chunk, created_at)
    WHERE deleted_at IS NULL AND chunk <> '';
`;
