import type { Deps } from '../deps.js';
import type { InboundDelivery } from '../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../domain/inbound/inbound-webhook.js';
import { formatTimestamp } from '../domain/timestamp.js';
import type { Reply, Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  CreateInboundWebhookData,
  CreateInboundWebhookResponses,
  DeleteInboundWebhookData,
  DeleteInboundWebhookResponses,
  GetInboundWebhookData,
  GetInboundWebhookResponses,
  ListInboundDeliveriesData,
  ListInboundDeliveriesResponses,
  ListInboundWebhooksData,
  ListInboundWebhooksResponses,
  RotateInboundWebhookSecretData,
  RotateInboundWebhookSecretResponses,
  UpdateInboundWebhookData,
  UpdateInboundWebhookResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { presentPage } from '../http/response/present-page.js';
import * as webhooks from '../services/inbound/inbound-webhooks.js';

export const listInboundWebhooks: Route<ListInboundWebhooksData, ListInboundWebhooksResponses, 'limit'> = async (
  { caller, query },
  deps,
) => {
  const page = await webhooks.listInboundWebhooks(deps, caller, toPageQuery(query));
  return {
    status: 200,
    body: { inboundWebhooks: page.items.map((webhook) => presentWebhook(deps, webhook)), ...presentPage(page) },
  };
};

export const createInboundWebhook: Route<CreateInboundWebhookData, CreateInboundWebhookResponses> = async (
  { caller, body },
  deps,
) => {
  const { webhook, secret } = await webhooks.createInboundWebhook(deps, caller, body);
  return { status: 201, body: { ...presentWebhook(deps, webhook), secret } };
};

export const getInboundWebhook: Route<GetInboundWebhookData, GetInboundWebhookResponses> = async (
  { caller, path },
  deps,
) => {
  const webhook = await webhooks.getInboundWebhook(deps, caller, path.webhookId);
  return { status: 200, body: presentWebhook(deps, webhook) };
};

export const updateInboundWebhook: Route<UpdateInboundWebhookData, UpdateInboundWebhookResponses> = async (
  { caller, path, body },
  deps,
) => {
  const webhook = await webhooks.updateInboundWebhook(deps, caller, path.webhookId, body);
  return { status: 200, body: presentWebhook(deps, webhook) };
};

export const deleteInboundWebhook: Route<DeleteInboundWebhookData, DeleteInboundWebhookResponses> = async (
  { caller, path },
  deps,
): Promise<Reply<DeleteInboundWebhookResponses>> => {
  await webhooks.deleteInboundWebhook(deps, caller, path.webhookId);
  return { status: 204 };
};

export const rotateInboundWebhookSecret: Route<
  RotateInboundWebhookSecretData,
  RotateInboundWebhookSecretResponses
> = async ({ caller, path }, deps) => {
  const { webhook, secret } = await webhooks.rotateInboundWebhookSecret(deps, caller, path.webhookId);
  return { status: 200, body: { ...presentWebhook(deps, webhook), secret } };
};

export const listInboundDeliveries: Route<ListInboundDeliveriesData, ListInboundDeliveriesResponses, 'limit'> = async (
  { caller, path, query },
  deps,
) => {
  const page = await webhooks.listInboundDeliveries(deps, caller, path.webhookId, {
    ...toPageQuery(query),
    state: query.state,
  });
  return { status: 200, body: { inboundDeliveries: page.items.map(presentDelivery), ...presentPage(page) } };
};

function presentWebhook(
  { inboundRefusals }: Pick<Deps, 'inboundRefusals'>,
  { previousSecret, ...webhook }: InboundWebhook,
): wire.InboundWebhook {
  const refusals = inboundRefusals.of(webhook);
  const { id, kind, name, events, enabled, createdAt, updatedAt } = webhook;
  return {
    id,
    kind,
    name,
    events: [...events],
    enabled,
    path: `/webhooks/${kind}/${id}`,
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    ...(previousSecret && { previousSecretUntil: formatTimestamp(previousSecret.until) }),
    refusals: refusals ? { ...refusals, lastAt: formatTimestamp(refusals.lastAt) } : { count: 0 },
  };
}

function presentDelivery(delivery: InboundDelivery): wire.InboundDelivery {
  const { key, deliveryId, event, state, reason, receivedAt, finishedAt, requestId } = delivery;
  const { stored, skipped, rejected, omitted } = delivery.counts;
  return {
    id: key,
    deliveryId,
    event,
    state,
    ...(reason !== undefined && { reason }),
    receivedAt: formatTimestamp(receivedAt),
    ...(finishedAt !== undefined && { finishedAt: formatTimestamp(finishedAt) }),
    requestId,
    counts: { stored, skipped, rejected, omitted },
  };
}
