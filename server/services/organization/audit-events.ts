import type { Deps } from '../../deps.js';
import { AUDIT_ACTIONS, type AuditAction, type AuditEvent } from '../../domain/account/audit-event.js';
import type { Caller } from '../../domain/account/caller.js';
import { invalid } from '../../domain/invalid.js';
import type { AuditQuery } from '../../ports/audit-log.js';
import type { Position } from '../../ports/store.js';
import { assertOwner } from '../access/owner.js';

export interface AuditFilter extends Omit<AuditQuery, 'action'> {
  action?: string | undefined;
}

/** A page of the audit log, and where the next one starts. */
export interface AuditPage {
  events: AuditEvent[];
  hasMore: boolean;
  /** The last event's place in the log; undefined for an empty page. */
  last?: Position;
}

/**
 * What was done in the organization, the newest first (section 2.4).
 *
 * @throws {ForbiddenError} `owner_required` when the caller's user is no owner
 * @throws {UnprocessableError} for an action that there is not
 */
export async function listAuditEvents(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  { action, ...filter }: AuditFilter,
): Promise<AuditPage> {
  await assertOwner(deps, caller);
  const found = await deps.store.audit.list(caller.organizationId, {
    ...filter,
    ...(action !== undefined && { action: parseAction(action) }),
    limit: filter.limit + 1,
  });
  const events = found.slice(0, filter.limit);
  const last = events.at(-1);
  return {
    events,
    hasMore: found.length > filter.limit,
    ...(last && { last: { at: last.occurredAt, id: last.id } }),
  };
}

function parseAction(text: string): AuditAction {
  const action = AUDIT_ACTIONS.find((each) => each === text);
  if (action === undefined) throw invalid('action', `must be one of ${AUDIT_ACTIONS.join(', ')}`);
  return action;
}
