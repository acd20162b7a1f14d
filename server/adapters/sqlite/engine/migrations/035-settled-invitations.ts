/** Adds an index that finds the invitations that were accepted or revoked. */
export const settledInvitations = `
  CREATE INDEX invitations_by_settlement ON invitations (coalesce(accepted_at, revoked_at));
`;
