/** The parts of the keyword index are merged a little with each write: see KeywordBacklog. */
export const keywordMerges = `
  INSERT INTO keywords (keywords, rank) VALUES ('automerge', 0);
`;
