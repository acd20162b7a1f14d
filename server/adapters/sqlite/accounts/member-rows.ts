import { foldEmail } from '../../../domain/account/email.js';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import type { Role } from '../../../domain/account/role.js';
import type { SignInPlace } from '../../../domain/account/sign-in-places.js';
import type { PageQuery } from '../../../domain/page.js';
import {
  DuplicateUserError,
  type Member,
  type Membership,
  type Standing,
  type User,
} from '../../../ports/account-store.js';
import type { Connection } from '../engine/connection.js';
import { isUniqueViolation } from '../engine/errors.js';

interface UserRow {
  id: string;
  email: string;
  password_hash: string | null;
  /** A JSON text. */
  sign_in_places: string | null;
}

interface MemberRow {
  user_id: string;
  email: string;
  role: Role;
  joined_at: number;
}

const SELECT_MEMBER =
  'SELECT m.user_id, u.email, m.role, m.joined_at FROM memberships m JOIN users u ON u.id = m.user_id';

interface StandingRow {
  id: string;
  role: Role;
  settings: string;
}

const SELECT_STANDING =
  'SELECT o.id, m.role, o.settings FROM memberships m JOIN current_organizations o ON o.key = m.org';
const SELECT_STANDINGS = `${SELECT_STANDING} WHERE m.user_id = ? ORDER BY o.key`;
const SELECT_STANDING_IN = `${SELECT_STANDING} WHERE m.user_id = ? AND o.id = ?`;

/** @throws {DuplicateUserError} if another user has the address */
export function insertUser(connection: Connection, { id, email, passwordHash }: User): void {
  try {
    connection.run(
      'INSERT INTO users (id, email, folded_email, password_hash) VALUES (?, ?, ?, ?)',
      id,
      email,
      foldEmail(email),
      passwordHash ?? null,
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new DuplicateUserError('the address belongs to another user', { cause: error });
  }
}

export function replaceSignInPlaces(connection: Connection, userId: string, places: readonly SignInPlace[]): void {
  connection.run('UPDATE users SET sign_in_places = ? WHERE id = ?', JSON.stringify(places), userId);
}

export function findUser(connection: Connection, id: string): User | undefined {
  return toUser(connection.get<UserRow>('SELECT id, email, password_hash, sign_in_places FROM users WHERE id = ?', id));
}

export function findUserByEmail(connection: Connection, email: string): User | undefined {
  const sql = 'SELECT id, email, password_hash, sign_in_places FROM users WHERE folded_email = ?';
  return toUser(connection.get<UserRow>(sql, foldEmail(email)));
}

export function insertMember(
  connection: Connection,
  org: number,
  { userId, role, joinedAt }: Pick<Member, 'userId' | 'role' | 'joinedAt'>,
): void {
  const sql = 'INSERT INTO memberships (org, user_id, role, joined_at) VALUES (?, ?, ?, ?)';
  connection.run(sql, org, userId, role, joinedAt);
}

export function findMember(connection: Connection, org: number, userId: string): Member | undefined {
  const row = connection.get<MemberRow>(`${SELECT_MEMBER} WHERE m.org = ? AND m.user_id = ?`, org, userId);
  return row && toMember(row);
}

export function findMembers(connection: Connection, org: number, userIds: readonly string[]): Member[] {
  const sql = `${SELECT_MEMBER} WHERE m.org = ? AND m.user_id IN (SELECT value FROM json_each(?))`;
  return connection.all<MemberRow>(sql, org, JSON.stringify(userIds)).map(toMember);
}

export function listMembers(connection: Connection, org: number, { after, limit }: PageQuery): Member[] {
  const { at, id } = after ?? { at: Number.MIN_SAFE_INTEGER, id: '' };
  const sql = `${SELECT_MEMBER} WHERE m.org = ? AND (m.joined_at, m.user_id) > (?, ?)
    ORDER BY m.joined_at, m.user_id LIMIT +?`;
  return connection.all<MemberRow>(sql, org, at, id, limit).map(toMember);
}

export function membershipsOf(connection: Connection, userId: string): Membership[] {
  const sql = `SELECT o.id AS organizationId, o.name, m.role FROM memberships m JOIN current_organizations o ON o.key = m.org
    WHERE m.user_id = ? ORDER BY o.key`;
  return connection.all<Membership>(sql, userId).map((row) => ({ ...row }));
}

export function standingsOf(connection: Connection, userId: string, organizationId: string | undefined): Standing[] {
  const rows =
    organizationId === undefined
      ? connection.all<StandingRow>(SELECT_STANDINGS, userId)
      : connection.all<StandingRow>(SELECT_STANDING_IN, userId, organizationId);
  return rows.map(({ id, role, settings }) => ({
    organizationId: id,
    role,
    settings: JSON.parse(settings) as OrganizationSettings,
  }));
}

export function countOwners(connection: Connection, org: number): number {
  const sql = "SELECT count(*) AS owners FROM memberships WHERE org = ? AND role = 'owner'";
  return connection.get<{ owners: number }>(sql, org)?.owners ?? 0;
}

/** Counts the organizations that a user owns. */
export function countOwned(connection: Connection, userId: string): number {
  const sql =
    "SELECT count(*) AS owned FROM memberships m JOIN current_organizations o ON o.key = m.org WHERE m.user_id = ? AND m.role = 'owner'";
  return connection.get<{ owned: number }>(sql, userId)?.owned ?? 0;
}

export function changeRole(connection: Connection, org: number, userId: string, role: Role): void {
  connection.run('UPDATE memberships SET role = ? WHERE org = ? AND user_id = ?', role, org, userId);
}

export function deleteMember(connection: Connection, org: number, userId: string): void {
  connection.run('DELETE FROM memberships WHERE org = ? AND user_id = ?', org, userId);
}

function toUser(row: UserRow | undefined): User | undefined {
  if (!row) return undefined;
  return {
    id: row.id,
    email: row.email,
    ...(row.password_hash !== null && { passwordHash: row.password_hash }),
    ...(row.sign_in_places !== null && { signInPlaces: JSON.parse(row.sign_in_places) as SignInPlace[] }),
  };
}

function toMember(row: MemberRow): Member {
  return { userId: row.user_id, email: row.email, role: row.role, joinedAt: row.joined_at };
}
