import type { AuditEvent } from '../domain/account/audit-event.js';
import { formatCursor, parseCursor } from '../domain/memory/cursor.js';
import { formatTimestamp, parseTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type { ListAuditEventsData, ListAuditEventsResponses } from '../http/contract/wire.js';
import { listAuditEvents as list } from '../services/organization/audit-events.js';

export const listAuditEvents: Route<ListAuditEventsData, ListAuditEventsResponses, 'limit'> = async (
  { caller, query },
  deps,
) => {
  const { action, actorId, memoryId, since, until, cursor, limit } = query;
  const { events, hasMore, last } = await list(deps, caller, {
    action,
    actorId,
    memoryId,
    since: since === undefined ? undefined : parseTimestamp(since, 'since'),
    until: until === undefined ? undefined : parseTimestamp(until, 'until'),
    after: cursor === undefined ? undefined : parseCursor(cursor),
    limit,
  });
  return {
    status: 200,
    body: {
      auditEvents: events.map(presentAuditEvent),
      meta: { count: events.length, hasMore },
      ...(hasMore && last && { nextCursor: formatCursor(last) }),
    },
  };
};

function presentAuditEvent({ occurredAt, metadata, ...event }: AuditEvent): wire.AuditEvent {
  return { ...event, occurredAt: formatTimestamp(occurredAt), metadata: { ...metadata } };
}
