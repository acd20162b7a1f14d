/** Turns off automatic merges of the keyword index. Each write merges a little instead: see KeywordBacklog. */
export const keywordMerges = `
  INSERT INTO keywords (keywords, rank) VALUES ('automerge', 0);
`;
