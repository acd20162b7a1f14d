/** Drops the index by words, since the index by fold begins with the same columns. Every write changed both. */
export const wordsByFold = `
  DROP INDEX memories_by_words;
`;
