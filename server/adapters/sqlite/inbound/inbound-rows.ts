import type { DeliveryCounts, DeliveryState, InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundEvent, InboundKind, InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { RefusalReason } from '../../../domain/inbound/refusals.js';

export interface WebhookRow {
  id: string;
  organization_id: string;
  kind: InboundKind;
  name: string;
  events: string;
  enabled: number;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  created_at: number;
  updated_at: number;
  refused: number;
  refused_at: number | null;
  refused_reason: RefusalReason | null;
}

export interface DeliveryRow {
  key: string;
  webhook_id: string;
  delivery_id: string;
  body_hash: string;
  event: string;
  state: DeliveryState;
  received_at: number;
  request_id: string;
  finished_at: number | null;
  reason: string | null;
  counts: string;
  memories: string | null;
}

export const DELIVERY_COLUMNS =
  'key, webhook_id, delivery_id, body_hash, event, state, received_at, request_id, finished_at, reason, counts, memories';

/** Columns of a list, which does not return memories and so does not read them. */
export const LISTED_DELIVERY_COLUMNS = DELIVERY_COLUMNS.replace(/memories$/, 'NULL AS memories');

export const SELECT_WEBHOOK =
  'SELECT w.*, o.id AS organization_id FROM inbound_webhooks w JOIN current_organizations o ON o.key = w.org';

export function toWebhook(row: WebhookRow): InboundWebhook {
  const { previous_secret: sealed, previous_until: until, refused: count, refused_at: lastAt } = row;
  const lastReason = row.refused_reason;
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    name: row.name,
    events: JSON.parse(row.events) as InboundEvent[],
    enabled: row.enabled === 1,
    sealedSecret: row.secret,
    ...(sealed !== null && until !== null && { previousSecret: { sealed, until } }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(lastAt !== null && lastReason !== null && { refusals: { count, lastAt, lastReason } }),
  };
}

/** Returns the columns of a webhook that change, in the order of the statements that write them. */
export function webhookValues(webhook: InboundWebhook): (string | number | null)[] {
  return [
    webhook.name,
    JSON.stringify(webhook.events),
    webhook.enabled ? 1 : 0,
    webhook.sealedSecret,
    webhook.previousSecret?.sealed ?? null,
    webhook.previousSecret?.until ?? null,
    webhook.updatedAt,
  ];
}

export function toDelivery(organizationId: string, row: DeliveryRow): InboundDelivery {
  return {
    key: row.key,
    organizationId,
    webhookId: row.webhook_id,
    deliveryId: row.delivery_id,
    bodyHash: row.body_hash,
    event: row.event,
    state: row.state,
    receivedAt: row.received_at,
    requestId: row.request_id,
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.reason !== null && { reason: row.reason }),
    counts: JSON.parse(row.counts) as DeliveryCounts,
    ...(row.memories !== null && { sealedMemories: row.memories }),
  };
}
