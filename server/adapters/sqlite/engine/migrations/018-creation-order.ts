/** Adds a flag that is set if the order of insertion differs from the order of creation, as after an import. */
export const creationOrder = `
  ALTER TABLE organizations ADD COLUMN unordered INTEGER NOT NULL DEFAULT 0;
`;
