import { formatCursor, parseCursor } from '../domain/memory/cursor.js';
import type { OutboundDelivery } from '../domain/outbound/delivery.js';
import type { OutboundWebhook } from '../domain/outbound/webhook.js';
import { formatTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  CreateOutboundWebhookData,
  CreateOutboundWebhookResponses,
  DeleteOutboundWebhookData,
  DeleteOutboundWebhookResponses,
  GetOutboundWebhookData,
  GetOutboundWebhookResponses,
  ListOutboundDeliveriesData,
  ListOutboundDeliveriesResponses,
  ListOutboundWebhooksData,
  ListOutboundWebhooksResponses,
  RedeliverOutboundDeliveryData,
  RedeliverOutboundDeliveryResponses,
  RotateOutboundWebhookSecretData,
  RotateOutboundWebhookSecretResponses,
  UpdateOutboundWebhookData,
  UpdateOutboundWebhookResponses,
} from '../http/contract/wire.js';
import * as deliveries from '../services/outbound/outbound-deliveries.js';
import * as webhooks from '../services/outbound/outbound-webhooks.js';

export const createOutboundWebhook: Route<CreateOutboundWebhookData, CreateOutboundWebhookResponses> = async (
  { caller, body },
  deps,
) => {
  const { webhook, secret } = await webhooks.createOutboundWebhook(deps, caller, body);
  return { status: 201, body: { ...presentWebhook(webhook), secret } };
};

export const listOutboundWebhooks: Route<ListOutboundWebhooksData, ListOutboundWebhooksResponses, 'limit'> = async (
  { caller, query: { cursor, limit } },
  deps,
) => {
  const page = { limit: limit + 1, ...(cursor !== undefined && { after: parseCursor(cursor) }) };
  const found = await webhooks.listOutboundWebhooks(deps, caller, page);
  const { shown, ...rest } = cut(found, limit);
  return { status: 200, body: { outboundWebhooks: shown.map(presentWebhook), ...rest } };
};

export const getOutboundWebhook: Route<GetOutboundWebhookData, GetOutboundWebhookResponses> = async (
  { caller, path },
  deps,
) => {
  const webhook = await webhooks.getOutboundWebhook(deps, caller, path.webhookId);
  return { status: 200, body: presentWebhook(webhook) };
};

export const updateOutboundWebhook: Route<UpdateOutboundWebhookData, UpdateOutboundWebhookResponses> = async (
  { caller, path, body },
  deps,
) => {
  const webhook = await webhooks.updateOutboundWebhook(deps, caller, path.webhookId, body);
  return { status: 200, body: presentWebhook(webhook) };
};

export const deleteOutboundWebhook: Route<DeleteOutboundWebhookData, DeleteOutboundWebhookResponses> = async (
  { caller, path },
  deps,
) => {
  await webhooks.deleteOutboundWebhook(deps, caller, path.webhookId);
  return { status: 204 };
};

export const rotateOutboundWebhookSecret: Route<
  RotateOutboundWebhookSecretData,
  RotateOutboundWebhookSecretResponses
> = async ({ caller, path }, deps) => {
  const { webhook, secret } = await webhooks.rotateOutboundWebhookSecret(deps, caller, path.webhookId);
  return { status: 200, body: { ...presentWebhook(webhook), secret } };
};

export const listOutboundDeliveries: Route<
  ListOutboundDeliveriesData,
  ListOutboundDeliveriesResponses,
  'limit'
> = async ({ caller, path: { webhookId }, query: { cursor, limit, status } }, deps) => {
  const page = { limit: limit + 1, ...(cursor !== undefined && { after: parseCursor(cursor) }) };
  const found = await deliveries.listOutboundDeliveries(deps, caller, { webhookId, status, ...page });
  const { shown, ...rest } = cut(found, limit);
  return { status: 200, body: { outboundDeliveries: shown.map(presentDelivery), ...rest } };
};

export const redeliverOutboundDelivery: Route<
  RedeliverOutboundDeliveryData,
  RedeliverOutboundDeliveryResponses
> = async ({ caller, path: { webhookId, deliveryId } }, deps) => {
  const delivery = await deliveries.redeliver(deps, caller, webhookId, deliveryId);
  return { status: 202, body: presentDelivery(delivery) };
};

/** A page of what was found, one more than the page holds. */
function cut<T extends { id: string; createdAt: number }>(found: readonly T[], limit: number) {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit;
  return {
    shown,
    meta: { count: shown.length, hasMore },
    ...(hasMore && last && { nextCursor: formatCursor({ at: last.createdAt, id: last.id }) }),
  };
}

function presentWebhook({ id, url, events, description, disabled, ...rest }: OutboundWebhook): wire.OutboundWebhook {
  return {
    id,
    url,
    events: [...events],
    description,
    enabled: disabled === undefined,
    ...(disabled && { disabledAt: formatTimestamp(disabled.at), disabledReason: disabled.reason }),
    createdAt: formatTimestamp(rest.createdAt),
    updatedAt: formatTimestamp(rest.updatedAt),
  };
}

function presentDelivery({ id, event, memoryId, status, attempts, ...rest }: OutboundDelivery): wire.OutboundDelivery {
  const { createdAt, nextAttemptAt, lastAttempt } = rest;
  return {
    id,
    event,
    memoryId,
    status,
    attempts,
    createdAt: formatTimestamp(createdAt),
    ...(nextAttemptAt !== undefined && { nextAttemptAt: formatTimestamp(nextAttemptAt) }),
    ...(lastAttempt && { lastAttempt: presentAttempt(lastAttempt) }),
  };
}

function presentAttempt({ at, status, failure }: NonNullable<OutboundDelivery['lastAttempt']>) {
  return {
    at: formatTimestamp(at),
    ...(status !== undefined && { status }),
    ...(failure !== undefined && { failure }),
  };
}
