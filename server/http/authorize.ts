import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { assertAbilities, authenticate, resolveOrganization } from '../services/access.js';
import type { Context } from './context.js';
import type { Operation } from './contract.js';
import { originOf } from './origin.js';

/**
 * Who sends a request and to which organization, with the abilities that its
 * operation asks for. Undefined where the operation needs no credential.
 *
 * @throws {UnauthenticatedError}
 * @throws {ForbiddenError} `organization_forbidden`, then `ability_denied`
 */
export async function authorize(
  deps: Pick<Deps, 'store' | 'now'>,
  ctx: Context,
  { abilities }: Operation,
): Promise<Caller | undefined> {
  if (!abilities) return undefined;
  const { headers } = ctx.req;
  const token = await authenticate(deps, headers.authorization);
  ctx.state.credentialId = token.id;
  const organizationId = await resolveOrganization(deps, token, asOne(headers['x-organization-id']));
  ctx.state.organizationId = organizationId;
  assertAbilities(token, abilities);
  return {
    organizationId,
    actor: { type: 'token', id: token.id, userId: token.userId },
    abilities: token.abilities,
    credentialId: token.id,
    source: 'rest',
    ...originOf(ctx),
  };
}

/** A header given twice names no organization, and neither does what joins both. */
function asOne(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
