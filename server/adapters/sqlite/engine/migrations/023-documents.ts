/** Adds an index of chunks by document. The document is computed from `chunk`, so no row is rewritten. */
export const documents = `
  ALTER TABLE memories ADD COLUMN document TEXT
    GENERATED ALWAYS AS (nullif(substr(chunk, instr(chunk, ':') + 1), '')) VIRTUAL;
  CREATE INDEX memories_by_document ON memories (org, subject_key, document, id)
    WHERE deleted_at IS NULL AND document IS NOT NULL;
`;
