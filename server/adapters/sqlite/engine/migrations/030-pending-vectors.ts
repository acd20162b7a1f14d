/**
 * Lets a memory have a second vector while its organization is re-embedded. One vector is stored at its seq, the other
 * at the negated seq. Searches compare the vectors whose seq has the sign of `vector_side`.
 */
export const pendingVectors = `
  ALTER TABLE organizations ADD COLUMN vector_side INTEGER NOT NULL DEFAULT 1;
`;
