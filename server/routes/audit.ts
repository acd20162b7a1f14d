import type { Actor, AuditEvent, AuditMetadata } from '../domain/account/audit-event.js';
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

function presentAuditEvent(event: AuditEvent): wire.AuditEvent {
  const { id, occurredAt, action, actor, memoryId, requestId, batchId, source, ip, userAgent, metadata } = event;
  return {
    id,
    occurredAt: formatTimestamp(occurredAt),
    action,
    actor: presentActor(actor),
    ...(memoryId !== undefined && { memoryId }),
    ...(requestId !== undefined && { requestId }),
    ...(batchId !== undefined && { batchId }),
    source,
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { userAgent }),
    metadata: presentMetadata(metadata),
  };
}

function presentActor({ type, id, userId }: Actor): wire.AuditActor {
  return { type, id, ...(userId !== undefined && { userId }) };
}

function presentMetadata(metadata: AuditMetadata): wire.AuditMetadata {
  const { outcome, dedupe, contentLength, metadataKeys, ok, failed } = metadata;
  const { changed, status, targetId, role, abilities } = metadata;
  return {
    ...(outcome !== undefined && { outcome }),
    ...(dedupe !== undefined && { dedupe }),
    ...(contentLength !== undefined && { contentLength }),
    ...(metadataKeys !== undefined && { metadataKeys }),
    ...(ok !== undefined && { ok }),
    ...(failed !== undefined && { failed }),
    ...(changed !== undefined && { changed }),
    ...(status !== undefined && { status }),
    ...(targetId !== undefined && { targetId }),
    ...(role !== undefined && { role }),
    ...(abilities !== undefined && { abilities }),
  };
}
