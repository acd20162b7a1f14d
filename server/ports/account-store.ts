import type { Microseconds } from '../domain/memory.js';
import type { OrganizationSettings, Role } from '../domain/organization.js';

/** Organizations, people and their tokens (part 5). Not scoped to an organization: it is what finds the scope. */
export interface AccountStore {
  /** Stores an organization with its first owner and that owner's first token, all or none. */
  createOrganization(founding: Founding): Promise<void>;

  organizationIds(): Promise<string[]>;
  /** Undefined for an unknown or malformed id. */
  settings(organizationId: string): Promise<OrganizationSettings | undefined>;

  /** Expired and revoked tokens included. */
  findTokenByDigest(digest: string): Promise<ApiToken | undefined>;
  /** Undefined when the user is no member of the organization, or there is no such organization. */
  findRole(organizationId: string, userId: string): Promise<Role | undefined>;
  organizationIdsOf(userId: string): Promise<string[]>;
}

export interface Founding {
  organization: { id: string; name: string; createdAt: Microseconds };
  owner: { id: string; email: string };
  token: ApiToken;
}

export interface ApiToken {
  /** UUID. */
  id: string;
  userId: string;
  name: string;
  /** SHA-256 of the token, hex. The token itself is stored nowhere. */
  digest: string;
  /** First and last characters, for people to tell tokens apart. */
  prefix: string;
  lastFour: string;
  abilities: readonly string[];
  createdAt: Microseconds;
  expiresAt?: Microseconds;
  revokedAt?: Microseconds;
}
