import { FIRST_SETTINGS, type OrganizationSettings, type Role } from '../../domain/organization.js';
import type { AccountStore, ApiToken, Founding } from '../../ports/account-store.js';
import type { Connection } from './connection.js';
import { type Organizations, readSettings } from './organizations.js';
import type { Writer } from './writer.js';

interface TokenRow {
  id: string;
  user_id: string;
  name: string;
  digest: string;
  prefix: string;
  last_four: string;
  abilities: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export class SqliteAccountStore implements AccountStore {
  readonly #reader: Connection;
  readonly #writing: Connection;
  readonly #writer: Writer;
  readonly #organizations: Organizations;

  constructor(reader: Connection, writing: Connection, writer: Writer, organizations: Organizations) {
    this.#reader = reader;
    this.#writing = writing;
    this.#writer = writer;
    this.#organizations = organizations;
  }

  async createOrganization({ organization, owner, token }: Founding): Promise<void> {
    await this.#writer.run(async () => {
      const { rowId: org } = this.#writing.run(
        'INSERT INTO organizations (id, name, created_at, settings) VALUES (?, ?, ?, ?)',
        organization.id,
        organization.name,
        organization.createdAt,
        JSON.stringify(FIRST_SETTINGS),
      );
      this.#writing.run(
        'INSERT INTO users (id, email) VALUES (?, ?) ON CONFLICT (id) DO NOTHING',
        owner.id,
        owner.email,
      );
      this.#writing.run('INSERT INTO memberships (org, user_id, role) VALUES (?, ?, ?)', org, owner.id, 'owner');
      insertToken(this.#writing, token);
    });
  }

  async organizationIds(): Promise<string[]> {
    return this.#reader.all<{ id: string }>('SELECT id FROM organizations ORDER BY key').map(({ id }) => id);
  }

  async settings(organizationId: string): Promise<OrganizationSettings | undefined> {
    const org = this.#organizations.keyOf(organizationId);
    return org === undefined ? undefined : readSettings(this.#reader, org);
  }

  async findTokenByDigest(digest: string): Promise<ApiToken | undefined> {
    const row = this.#reader.get<TokenRow>('SELECT * FROM api_tokens WHERE digest = ?', digest);
    return row && toToken(row);
  }

  async findRole(organizationId: string, userId: string): Promise<Role | undefined> {
    const sql = 'SELECT role FROM memberships WHERE org = (SELECT key FROM organizations WHERE id = ?) AND user_id = ?';
    return this.#reader.get<{ role: Role }>(sql, organizationId, userId)?.role;
  }

  async organizationIdsOf(userId: string): Promise<string[]> {
    const sql =
      'SELECT o.id FROM memberships m JOIN organizations o ON o.key = m.org WHERE m.user_id = ? ORDER BY o.key';
    return this.#reader.all<{ id: string }>(sql, userId).map(({ id }) => id);
  }
}

function insertToken(writing: Connection, token: ApiToken): void {
  writing.run(
    `INSERT INTO api_tokens
       (id, user_id, name, digest, prefix, last_four, abilities, created_at, expires_at, revoked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    token.userId,
    token.name,
    token.digest,
    token.prefix,
    token.lastFour,
    JSON.stringify(token.abilities),
    token.createdAt,
    token.expiresAt ?? null,
    token.revokedAt ?? null,
  );
}

function toToken(row: TokenRow): ApiToken {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    digest: row.digest,
    prefix: row.prefix,
    lastFour: row.last_four,
    abilities: JSON.parse(row.abilities) as string[],
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  };
}
