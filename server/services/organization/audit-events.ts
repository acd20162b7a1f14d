import type { Deps } from '../../deps.js';
import { AUDIT_ACTIONS, type AuditAction, type AuditEvent } from '../../domain/account/audit-event.js';
import type { Caller } from '../../domain/account/caller.js';
import { invalid } from '../../domain/invalid.js';
import { type Page, pageOf, withOneMore } from '../../domain/page.js';
import type { AuditQuery } from '../../ports/audit-log.js';
import { assertOwner } from '../access/owner.js';

interface AuditFilter extends Omit<AuditQuery, 'actions'> {
  /** Actions, separated by commas. */
  action?: string | undefined;
}

/** An audit event with the current names of its actor. */
export interface NamedAuditEvent extends AuditEvent {
  /** Name of the token that acted. */
  actorName?: string;
  /** Address of the person who acted, or whose token it was. Undefined if they are not a member now. */
  actorEmail?: string;
}

/**
 * Returns the audit events of the organization, newest first (section 2.4).
 *
 * @throws {UnprocessableError} for an unknown action
 */
export async function listAuditEvents(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  { action, ...filter }: AuditFilter,
): Promise<Page<NamedAuditEvent>> {
  await assertOwner(deps, caller);
  const found = await deps.store.audit.list(caller.organizationId, {
    ...withOneMore(filter),
    ...(action !== undefined && { actions: parseActions(action) }),
  });
  const page = pageOf(found, filter.limit, ({ occurredAt, id }) => ({ at: occurredAt, id }));
  return { ...page, items: await withNames(deps, caller.organizationId, page.items) };
}

async function withNames(
  { store }: Pick<Deps, 'store'>,
  organizationId: string,
  events: readonly AuditEvent[],
): Promise<NamedAuditEvent[]> {
  const userIds = new Set(events.flatMap(({ actor }) => userOf(actor) ?? []));
  const tokenIds = new Set(events.flatMap(({ actor }) => (actor.type === 'token' ? [actor.id] : [])));
  const [members, tokens] = await Promise.all([
    userIds.size === 0 ? [] : store.accounts.findMembers(organizationId, [...userIds]),
    tokenIds.size === 0 ? [] : store.accounts.findTokens(organizationId, [...tokenIds]),
  ]);
  const emails = new Map(members.map(({ userId, email }) => [userId, email]));
  const names = new Map(tokens.map(({ id, name }) => [id, name]));
  return events.map((event) => {
    const actorName = names.get(event.actor.id);
    const actorEmail = emails.get(userOf(event.actor) ?? '');
    return { ...event, ...(actorName !== undefined && { actorName }), ...(actorEmail !== undefined && { actorEmail }) };
  });
}

function userOf({ type, id, userId }: AuditEvent['actor']): string | undefined {
  return type === 'user' ? id : userId;
}

function parseActions(text: string): AuditAction[] {
  return text.split(',').map((name) => {
    const action = AUDIT_ACTIONS.find((each) => each === name);
    if (action === undefined) throw invalid('action', `must be one or more of ${AUDIT_ACTIONS.join(', ')}`);
    return action;
  });
}
