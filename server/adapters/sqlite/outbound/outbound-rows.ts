import type {
  DeliveryAttempt,
  DeliveryFailure,
  DeliveryStatus,
  ListedDelivery,
  OutboundDelivery,
} from '../../../domain/outbound/delivery.js';
import type { DeliveredEventName, OutboundEventName } from '../../../domain/outbound/event.js';
import { type DisabledReason, type OutboundWebhook, outboundState } from '../../../domain/outbound/webhook.js';
import type { NewDelivery } from '../../../ports/outbound-store.js';
import type { SqlValue } from '../engine/connection.js';

export const WEBHOOK_COLUMNS =
  'id, url, events, description, secret, previous_secret, previous_until, disabled_at, disabled_reason, ' +
  'created_at, updated_at';

/** Columns for listing deliveries. */
export const DELIVERY_STATE =
  'id, webhook_id, event, memory_id, status, attempts, created_at, next_attempt_at, last_attempt_at, last_status, ' +
  'last_failure';

/** Columns for inserting deliveries. The body is in the payload. */
export const DELIVERY_COLUMNS = `${DELIVERY_STATE}, payload, body`;

/** The body of a delivery. Deliveries of earlier releases contain theirs. */
export const DELIVERY_BODY =
  'coalesce((SELECT p.body FROM outbound_payloads p WHERE p.key = outbound_deliveries.payload), body) AS body';

/** Columns for reading whole deliveries. */
export const DELIVERY_FIELDS = `${DELIVERY_STATE}, attempt_log, ${DELIVERY_BODY}`;

/** Replaces the state of a delivery with `stateValues`. */
export const UPDATE_STATE = `UPDATE outbound_deliveries SET status = ?, attempts = ?, next_attempt_at = ?,
  last_attempt_at = ?, last_status = ?, last_failure = ?, attempt_log = ? WHERE org = ? AND id = ?`;

export interface WebhookRow {
  id: string;
  url: string;
  events: string;
  description: string;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  created_at: number;
  updated_at: number;
}

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event: DeliveredEventName;
  /** Empty for a test event. */
  memory_id: string;
  status: DeliveryStatus;
  attempts: number;
  created_at: number;
  next_attempt_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_failure: DeliveryFailure | null;
}

export interface WholeDeliveryRow extends DeliveryRow {
  attempt_log: string | null;
  body: string;
}

export function toWebhook(row: WebhookRow): OutboundWebhook {
  const { previous_secret: sealed, previous_until: until, disabled_at: at, disabled_reason: reason } = row;
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as OutboundEventName[],
    description: row.description,
    sealedSecret: row.secret,
    ...(sealed !== null && until !== null && { previousSecret: { sealed, until } }),
    ...outboundState(at !== null && reason !== null ? { at, reason } : undefined),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns the values in the order of `WEBHOOK_COLUMNS`. */
export function webhookValues(webhook: OutboundWebhook): SqlValue[] {
  return [
    webhook.id,
    webhook.url,
    JSON.stringify(webhook.events),
    webhook.description,
    webhook.sealedSecret,
    webhook.previousSecret?.sealed ?? null,
    webhook.previousSecret?.until ?? null,
    webhook.disabled?.at ?? null,
    webhook.disabled?.reason ?? null,
    webhook.createdAt,
    webhook.updatedAt,
  ];
}

export function toDelivery({ body, attempt_log: log, ...row }: WholeDeliveryRow): OutboundDelivery {
  return { ...toListed(row), body, attemptLog: log === null ? [] : (JSON.parse(log) as DeliveryAttempt[]) };
}

export function toListed(row: DeliveryRow): ListedDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    ...(row.memory_id !== '' && { memoryId: row.memory_id }),
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    ...(row.next_attempt_at !== null && { nextAttemptAt: row.next_attempt_at }),
    ...(row.last_attempt_at !== null && {
      lastAttempt: {
        at: row.last_attempt_at,
        ...(row.last_status !== null && { status: row.last_status }),
        ...(row.last_failure !== null && { failure: row.last_failure }),
      },
    }),
  };
}

/** Returns the values in the order of `DELIVERY_COLUMNS`. */
export function deliveryValues(delivery: NewDelivery, payload: number): SqlValue[] {
  const { id, webhookId, event, memoryId = '', status, attempts, createdAt, nextAttemptAt, lastAttempt } = delivery;
  const { at = null, status: answered = null, failure = null } = lastAttempt ?? {};
  const state = [status, attempts, createdAt, nextAttemptAt ?? null, at, answered, failure];
  return [id, webhookId, event, memoryId, ...state, payload, ''];
}

/** Returns the first values of `UPDATE_STATE`. */
export function stateValues({
  status,
  attempts,
  nextAttemptAt,
  lastAttempt,
  attemptLog,
}: OutboundDelivery): SqlValue[] {
  const { at = null, status: answered = null, failure = null } = lastAttempt ?? {};
  const log = attemptLog.length > 0 ? JSON.stringify(attemptLog) : null;
  return [status, attempts, nextAttemptAt ?? null, at, answered, failure, log];
}
