import { foldEmail } from '../../../domain/account/email.js';
import type { Role } from '../../../domain/account/role.js';
import type { PageQuery } from '../../../domain/page.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { Invitation } from '../../../ports/account-store.js';
import type { Connection } from '../engine/connection.js';

interface InvitationRow {
  id: string;
  organization_id: string;
  digest: string;
  email: string;
  role: Role;
  invited_by: string;
  created_at: number;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
}

const SELECT = 'SELECT i.*, o.id AS organization_id FROM invitations i JOIN current_organizations o ON o.key = i.org';
const PENDING = 'accepted_at IS NULL AND revoked_at IS NULL';

export function insertInvitation(connection: Connection, org: number, invitation: Invitation): void {
  connection.run(
    `INSERT INTO invitations (id, org, digest, email, folded_email, role, invited_by, created_at, expires_at,
       accepted_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    invitation.id,
    org,
    invitation.digest,
    invitation.email,
    foldEmail(invitation.email),
    invitation.role,
    invitation.invitedBy,
    invitation.createdAt,
    invitation.expiresAt,
    invitation.acceptedAt ?? null,
    invitation.revokedAt ?? null,
  );
}

export function findInvitationByDigest(connection: Connection, digest: string): Invitation | undefined {
  return optional(connection.get<InvitationRow>(`${SELECT} WHERE i.digest = ?`, digest));
}

export function findInvitation(connection: Connection, org: number, id: string): Invitation | undefined {
  return optional(connection.get<InvitationRow>(`${SELECT} WHERE i.id = ? AND i.org = ?`, id, org));
}

export function listInvitations(connection: Connection, org: number, { after, limit }: PageQuery): Invitation[] {
  const { at, id } = after ?? { at: Number.MIN_SAFE_INTEGER, id: '' };
  const sql = `${SELECT} WHERE i.org = ? AND i.accepted_at IS NULL AND i.revoked_at IS NULL
    AND (i.created_at, i.id) > (?, ?) ORDER BY i.created_at, i.id LIMIT +?`;
  return connection.all<InvitationRow>(sql, org, at, id, limit).map(toInvitation);
}

export function revokeInvitationsTo(connection: Connection, org: number, email: string, at: Microseconds): void {
  const sql = `UPDATE invitations SET revoked_at = ? WHERE org = ? AND folded_email = ? AND ${PENDING}`;
  connection.run(sql, at, org, foldEmail(email));
}

export function revokeInvitation(connection: Connection, org: number, id: string, at: Microseconds): void {
  connection.run(`UPDATE invitations SET revoked_at = ? WHERE id = ? AND org = ? AND ${PENDING}`, at, id, org);
}

export function acceptInvitation(connection: Connection, org: number, id: string, at: Microseconds): void {
  connection.run(`UPDATE invitations SET accepted_at = ? WHERE id = ? AND org = ? AND ${PENDING}`, at, id, org);
}

/** Deletes at most `limit` invitations that were accepted or revoked before a time, and returns their number. */
export function deleteSettledInvitations(connection: Connection, before: Microseconds, limit: number): number {
  const sql = `DELETE FROM invitations WHERE id IN (
    SELECT id FROM invitations WHERE coalesce(accepted_at, revoked_at) < ?
    ORDER BY coalesce(accepted_at, revoked_at) LIMIT +?)`;
  return connection.run(sql, before, limit).changes;
}

function optional(row: InvitationRow | undefined): Invitation | undefined {
  return row && toInvitation(row);
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    organizationId: row.organization_id,
    email: row.email,
    role: row.role,
    digest: row.digest,
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.accepted_at !== null && { acceptedAt: row.accepted_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  };
}
