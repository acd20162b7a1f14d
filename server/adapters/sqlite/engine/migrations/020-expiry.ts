/** Adds the time when a memory expires. `nextExpiry` in the settings shows which organizations to check. */
export const expiry = `
  ALTER TABLE memories ADD COLUMN expires_at INTEGER;
  CREATE INDEX memories_by_expiry ON memories (org, expires_at) WHERE deleted_at IS NULL AND expires_at IS NOT NULL;
  CREATE INDEX organizations_by_expiry ON organizations (settings ->> 'nextExpiry');
`;
