import type { AuditEvent } from '../domain/account/audit-event.js';
import { formatTimestamp, parseTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type { ListAuditEventsData, ListAuditEventsResponses } from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/page-query.js';
import { presentPage } from '../http/response/present-page.js';
import * as auditEvents from '../services/organization/audit-events.js';

export const listAuditEvents: Route<ListAuditEventsData, ListAuditEventsResponses, 'limit'> = async (
  { caller, query },
  deps,
) => {
  const { action, actorId, memoryId, since, until } = query;
  const page = await auditEvents.listAuditEvents(deps, caller, {
    ...toPageQuery(query),
    action,
    actorId,
    memoryId,
    since: since === undefined ? undefined : parseTimestamp(since, 'since'),
    until: until === undefined ? undefined : parseTimestamp(until, 'until'),
  });
  return {
    status: 200,
    body: { auditEvents: page.items.map(presentAuditEvent), ...presentPage(page) },
  };
};

function presentAuditEvent({ occurredAt, metadata, ...event }: AuditEvent): wire.AuditEvent {
  return { ...event, occurredAt: formatTimestamp(occurredAt), metadata: { ...metadata } };
}
