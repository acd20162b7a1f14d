import {
  createOutboundWebhook,
  deleteOutboundWebhook,
  getOutboundDelivery,
  getOutboundWebhook,
  listOutboundDeliveries,
  listOutboundWebhooks,
  redeliverOutboundDeliveries,
  redeliverOutboundDelivery,
  rotateOutboundWebhookSecret,
  sendTestEvent,
  updateOutboundWebhook,
} from '../generated/sdk.gen.js';
import type {
  OutboundDeliveriesPage,
  OutboundDelivery,
  OutboundDeliveryDetail,
  OutboundWebhook,
  OutboundWebhooksPage,
  OutboundWebhookWithSecret,
  Redelivery,
} from '../generated/types.gen.js';
import type { CallOptions, DeliveriesQuery, PageQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import type { OutboundWebhookCreate, OutboundWebhookUpdate } from '../transport/requests.js';
import { idOf, nothing, type Transport, timeOf } from '../transport/transport.js';

/** Endpoints that receive events about changes. For owners. */
export class OutboundWebhooksResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Registers an endpoint. Only this response contains the secret.
   *
   * @example const { secret } = await client.outboundWebhooks.create({ url, events: ['memory.ingested'] });
   */
  create(webhook: OutboundWebhookCreate, options: CallOptions = {}): ApiCall<OutboundWebhookWithSecret> {
    return this.#transport.call('createOutboundWebhook', options, (attempt) =>
      createOutboundWebhook({ ...attempt, body: webhook }),
    );
  }

  /**
   * Lists the endpoints in the order of creation.
   *
   * @example for await (const webhook of client.outboundWebhooks.list()) console.log(webhook.url);
   */
  list(query: PageQuery = {}, options: CallOptions = {}): PagedCall<OutboundWebhooksPage, OutboundWebhook> {
    return this.#transport.list(
      byNextCursor(({ outboundWebhooks }: OutboundWebhooksPage) => outboundWebhooks),
      query,
      (page) =>
        this.#transport.call('listOutboundWebhooks', options, (attempt) =>
          listOutboundWebhooks({ ...attempt, query: page }),
        ),
    );
  }

  /**
   * Returns a webhook, without its secret.
   *
   * @throws {NotFoundError}
   * @example const { enabled } = await client.outboundWebhooks.get(webhookId);
   */
  get(webhookId: string, options: CallOptions = {}): ApiCall<OutboundWebhook> {
    return this.#transport.call('getOutboundWebhook', options, (attempt) =>
      getOutboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) } }),
    );
  }

  /**
   * Changes the given fields; `enabled` switches the webhook on or off.
   *
   * @example await client.outboundWebhooks.update(webhookId, { events: ['memory.deleted'] });
   */
  update(webhookId: string, change: OutboundWebhookUpdate, options: CallOptions = {}): ApiCall<OutboundWebhook> {
    return this.#transport.call('updateOutboundWebhook', options, (attempt) =>
      updateOutboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) }, body: change }),
    );
  }

  /**
   * Deletes an endpoint and its deliveries.
   *
   * @example await client.outboundWebhooks.delete(webhookId);
   */
  delete(webhookId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'deleteOutboundWebhook',
      options,
      (attempt) => deleteOutboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) } }),
      nothing,
    );
  }

  /**
   * Creates a new secret. For 24 hours, the service signs with the old one too.
   *
   * @example const { secret } = await client.outboundWebhooks.rotateSecret(webhookId);
   */
  rotateSecret(webhookId: string, options: CallOptions = {}): ApiCall<OutboundWebhookWithSecret> {
    return this.#transport.call('rotateOutboundWebhookSecret', options, (attempt) =>
      rotateOutboundWebhookSecret({ ...attempt, path: { webhookId: idOf(webhookId) } }),
    );
  }

  /**
   * Sends one signed `webhook.test` event, also while the webhook is switched off. It has one attempt; `delivery` returns
   * the result.
   *
   * @example const { status } = await client.outboundWebhooks.test(webhookId);
   */
  test(webhookId: string, options: CallOptions = {}): ApiCall<OutboundDelivery> {
    return this.#transport.call('sendTestEvent', options, (attempt) =>
      sendTestEvent({ ...attempt, path: { webhookId: idOf(webhookId) } }),
    );
  }

  /**
   * Lists the deliveries and their results, newest first.
   *
   * @example const failed = await client.outboundWebhooks.deliveries(webhookId, { status: 'failed' });
   */
  deliveries(
    webhookId: string,
    query: DeliveriesQuery = {},
    options: CallOptions = {},
  ): PagedCall<OutboundDeliveriesPage, OutboundDelivery> {
    return this.#transport.list(
      byNextCursor(({ outboundDeliveries }: OutboundDeliveriesPage) => outboundDeliveries),
      query,
      ({ since, ...rest }) => {
        const sent = { ...rest, since: timeOf(since) };
        return this.#transport.call('listOutboundDeliveries', options, (attempt) =>
          listOutboundDeliveries({ ...attempt, path: { webhookId: idOf(webhookId) }, query: sent }),
        );
      },
    );
  }

  /**
   * Returns a delivery with its body, its headers, and the answer of the endpoint to each attempt.
   *
   * @example const { body } = await client.outboundWebhooks.delivery(webhookId, deliveryId);
   */
  delivery(webhookId: string, deliveryId: string, options: CallOptions = {}): ApiCall<OutboundDeliveryDetail> {
    return this.#transport.call('getOutboundDelivery', options, (attempt) =>
      getOutboundDelivery({ ...attempt, path: { webhookId: idOf(webhookId), deliveryId: idOf(deliveryId) } }),
    );
  }

  /**
   * Sends a delivery again with the same id.
   *
   * @throws {ConflictError} if the delivery is pending, or the webhook is disabled
   * @example await client.outboundWebhooks.redeliver(webhookId, deliveryId);
   */
  redeliver(webhookId: string, deliveryId: string, options: CallOptions = {}): ApiCall<OutboundDelivery> {
    return this.#transport.call('redeliverOutboundDelivery', options, (attempt) =>
      redeliverOutboundDelivery({
        ...attempt,
        path: { webhookId: idOf(webhookId), deliveryId: idOf(deliveryId) },
      }),
    );
  }

  /**
   * Sends failed deliveries again that were created at or after `since`: at most 100 a call, oldest first. Repeat the
   * call while `hasMore` is true; no delivery is sent twice.
   *
   * @throws {ConflictError} if the webhook is disabled
   * @example const { hasMore } = await client.outboundWebhooks.redeliverFailed(webhookId, { since: '2026-01-01' });
   */
  redeliverFailed(
    webhookId: string,
    request: { since: string | Date },
    options: CallOptions = {},
  ): ApiCall<Redelivery> {
    const body = { ...request, since: timeOf(request.since) };
    return this.#transport.call('redeliverOutboundDeliveries', options, (attempt) =>
      redeliverOutboundDeliveries({ ...attempt, path: { webhookId: idOf(webhookId) }, body }),
    );
  }
}
