/**
 * Adds the organizations that were deleted and whose data is being removed. The sequence of `deleted_organizations`
 * keeps the highest key that was deleted, so that no key is used twice. The view has the other organizations. The
 * indexes find what is to be removed.
 */
export const deletions = `
  CREATE TABLE deleted_organizations (
    org INTEGER PRIMARY KEY AUTOINCREMENT REFERENCES organizations (key),
    deleted_at INTEGER NOT NULL
  ) STRICT;

  CREATE VIEW current_organizations AS
    SELECT * FROM organizations WHERE key NOT IN (SELECT org FROM deleted_organizations);

  CREATE INDEX invitations_by_organization ON invitations (org);
  CREATE INDEX outbound_payloads_by_organization ON outbound_payloads (org);
  CREATE INDEX jobs_by_organization ON jobs (data ->> 'organizationId');
`;
