/** Adds indexes that find the sessions and sign-in links that ended. */
export const endedSignIns = `
  CREATE INDEX sessions_by_end ON sessions (expires_at);
  CREATE INDEX sign_in_links_by_end ON sign_in_links (expires_at);
`;
