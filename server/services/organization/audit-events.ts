import type { Deps } from '../../deps.js';
import { AUDIT_ACTIONS, type AuditAction, type AuditEvent } from '../../domain/account/audit-event.js';
import type { Caller } from '../../domain/account/caller.js';
import { invalid } from '../../domain/invalid.js';
import { type Page, pageOf, withOneMore } from '../../domain/page.js';
import type { AuditQuery } from '../../ports/audit-log.js';
import { assertOwner } from '../access/owner.js';

interface AuditFilter extends Omit<AuditQuery, 'action'> {
  action?: string | undefined;
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
): Promise<Page<AuditEvent>> {
  await assertOwner(deps, caller);
  const found = await deps.store.audit.list(caller.organizationId, {
    ...withOneMore(filter),
    ...(action !== undefined && { action: parseAction(action) }),
  });
  return pageOf(found, filter.limit, ({ occurredAt, id }) => ({ at: occurredAt, id }));
}

function parseAction(text: string): AuditAction {
  const action = AUDIT_ACTIONS.find((each) => each === text);
  if (action === undefined) throw invalid('action', `must be one of ${AUDIT_ACTIONS.join(', ')}`);
  return action;
}
