import type { AttemptResult, DeliveryAttempt, ListedDelivery, OutboundDelivery } from '../domain/outbound/delivery.js';
import { shownHeaders } from '../domain/outbound/request-headers.js';
import type { OutboundWebhook } from '../domain/outbound/webhook.js';
import { formatTimestamp, parseTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  CreateOutboundWebhookData,
  CreateOutboundWebhookResponses,
  DeleteOutboundWebhookData,
  DeleteOutboundWebhookResponses,
  GetOutboundDeliveryData,
  GetOutboundDeliveryResponses,
  GetOutboundWebhookData,
  GetOutboundWebhookResponses,
  ListOutboundDeliveriesData,
  ListOutboundDeliveriesResponses,
  ListOutboundWebhooksData,
  ListOutboundWebhooksResponses,
  RedeliverOutboundDeliveriesData,
  RedeliverOutboundDeliveriesResponses,
  RedeliverOutboundDeliveryData,
  RedeliverOutboundDeliveryResponses,
  RotateOutboundWebhookSecretData,
  RotateOutboundWebhookSecretResponses,
  SendTestEventData,
  SendTestEventResponses,
  UpdateOutboundWebhookData,
  UpdateOutboundWebhookResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { presentPage } from '../http/response/present-page.js';
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
  { caller, query },
  deps,
) => {
  const page = await webhooks.listOutboundWebhooks(deps, caller, toPageQuery(query));
  return { status: 200, body: { outboundWebhooks: page.items.map(presentWebhook), ...presentPage(page) } };
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
> = async ({ caller, path: { webhookId }, query }, deps) => {
  const since = query.since === undefined ? undefined : parseTimestamp(query.since, 'since');
  const wanted = { webhookId, status: query.status, since, ...toPageQuery(query) };
  const page = await deliveries.listOutboundDeliveries(deps, caller, wanted);
  return { status: 200, body: { outboundDeliveries: page.items.map(presentDelivery), ...presentPage(page) } };
};

export const getOutboundDelivery: Route<GetOutboundDeliveryData, GetOutboundDeliveryResponses> = async (
  { caller, path: { webhookId, deliveryId } },
  deps,
) => {
  const delivery = await deliveries.getOutboundDelivery(deps, caller, webhookId, deliveryId);
  return { status: 200, body: presentWholeDelivery(delivery) };
};

export const redeliverOutboundDelivery: Route<
  RedeliverOutboundDeliveryData,
  RedeliverOutboundDeliveryResponses
> = async ({ caller, path: { webhookId, deliveryId } }, deps) => {
  const delivery = await deliveries.redeliver(deps, caller, webhookId, deliveryId);
  return { status: 202, body: presentDelivery(delivery) };
};

export const redeliverOutboundDeliveries: Route<
  RedeliverOutboundDeliveriesData,
  RedeliverOutboundDeliveriesResponses
> = async ({ caller, path: { webhookId }, body }, deps) => {
  const since = parseTimestamp(body.since, 'since');
  return { status: 202, body: await deliveries.redeliverFailed(deps, caller, { webhookId, since }) };
};

export const sendTestEvent: Route<SendTestEventData, SendTestEventResponses> = async ({ caller, path }, deps) => {
  const delivery = await deliveries.sendTestEvent(deps, caller, path.webhookId);
  return { status: 202, body: presentDelivery(delivery) };
};

function presentWebhook({
  id,
  url,
  events,
  description,
  enabled,
  disabled,
  ...rest
}: OutboundWebhook): wire.OutboundWebhook {
  return {
    id,
    url,
    events: [...events],
    description,
    enabled,
    ...(disabled && { disabledAt: formatTimestamp(disabled.at), disabledReason: disabled.reason }),
    createdAt: formatTimestamp(rest.createdAt),
    updatedAt: formatTimestamp(rest.updatedAt),
  };
}

function presentDelivery({ id, event, memoryId, status, attempts, ...rest }: ListedDelivery): wire.OutboundDelivery {
  const { createdAt, nextAttemptAt, lastAttempt } = rest;
  return {
    id,
    event,
    ...(memoryId !== undefined && { memoryId }),
    status,
    attempts,
    createdAt: formatTimestamp(createdAt),
    ...(nextAttemptAt !== undefined && { nextAttemptAt: formatTimestamp(nextAttemptAt) }),
    ...(lastAttempt && { lastAttempt: presentAttempt(lastAttempt) }),
  };
}

function presentWholeDelivery(delivery: OutboundDelivery): wire.OutboundDeliveryDetail {
  return {
    ...presentDelivery(delivery),
    body: delivery.body,
    headers: shownHeaders(delivery),
    attemptLog: delivery.attemptLog.map(presentLogged),
  };
}

function presentLogged({ durationMs, answer, ...result }: DeliveryAttempt): wire.OutboundAttempt {
  return {
    ...presentAttempt(result),
    ...(durationMs !== undefined && { durationMs }),
    ...(answer !== undefined && { answer }),
  };
}

function presentAttempt({ at, status, failure }: AttemptResult): wire.OutboundAttemptResult {
  return {
    at: formatTimestamp(at),
    ...(status !== undefined && { status }),
    ...(failure !== undefined && { failure }),
  };
}
