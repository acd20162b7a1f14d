/** Whether the order of insertion is another one than the order of creation, as after an import. */
export const creationOrder = `
  ALTER TABLE organizations ADD COLUMN unordered INTEGER NOT NULL DEFAULT 0;
`;
