import type { AuditMetadata } from '../../domain/account/audit-event.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import type { NamedAuditEvent } from '../../services/organization/audit-events.js';
import type * as wire from '../contract/wire.js';
import { toCsv } from './csv.js';

export function presentAuditEvent(event: NamedAuditEvent): wire.AuditEvent {
  const { id, occurredAt, action, memoryId, requestId, batchId, source, ip, userAgent, metadata } = event;
  return {
    id,
    occurredAt: formatTimestamp(occurredAt),
    action,
    actor: presentActor(event),
    ...(memoryId !== undefined && { memoryId }),
    ...(requestId !== undefined && { requestId }),
    ...(batchId !== undefined && { batchId }),
    source,
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { userAgent }),
    metadata: presentMetadata(metadata),
  };
}

function presentActor({ actor, actorName, actorEmail }: NamedAuditEvent): wire.AuditActor {
  const { type, id, userId } = actor;
  return {
    type,
    id,
    ...(userId !== undefined && { userId }),
    ...(actorName !== undefined && { name: actorName }),
    ...(actorEmail !== undefined && { email: actorEmail }),
  };
}

/** Returns one JSON object per line. */
export function presentAuditLines(events: readonly NamedAuditEvent[]): string {
  return events.map((event) => `${JSON.stringify(presentAuditEvent(event))}\n`).join('');
}

type Column = readonly [heading: string, read: (event: wire.AuditEvent) => string | undefined];

const COLUMNS: readonly Column[] = [
  ['id', ({ id }) => id],
  ['occurredAt', ({ occurredAt }) => occurredAt],
  ['action', ({ action }) => action],
  ['actorType', ({ actor }) => actor.type],
  ['actorId', ({ actor }) => actor.id],
  ['actorName', ({ actor }) => actor.name],
  ['actorEmail', ({ actor }) => actor.email],
  ['userId', ({ actor }) => actor.userId],
  ['memoryId', ({ memoryId }) => memoryId],
  ['requestId', ({ requestId }) => requestId],
  ['batchId', ({ batchId }) => batchId],
  ['source', ({ source }) => source],
  ['ip', ({ ip }) => ip],
  ['userAgent', ({ userAgent }) => userAgent],
  ['metadata', ({ metadata }) => JSON.stringify(metadata)],
];

/** Returns one row per event. @param hasHeadings true for the first page */
export function presentAuditCsv(events: readonly NamedAuditEvent[], hasHeadings: boolean): string {
  const headings = hasHeadings ? [COLUMNS.map(([heading]) => heading)] : [];
  const rows = events.map(presentAuditEvent).map((event) => COLUMNS.map(([, read]) => read(event) ?? ''));
  return toCsv([...headings, ...rows]);
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
