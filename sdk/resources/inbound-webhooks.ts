import {
  createInboundWebhook,
  deleteInboundWebhook,
  getInboundWebhook,
  listInboundDeliveries,
  listInboundWebhooks,
  rotateInboundWebhookSecret,
  updateInboundWebhook,
} from '../generated/sdk.gen.js';
import type {
  InboundDeliveriesPage,
  InboundDelivery,
  InboundWebhook,
  InboundWebhooksPage,
  InboundWebhookWithSecret,
} from '../generated/types.gen.js';
import type { CallOptions, InboundDeliveriesQuery, PageQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import type { InboundWebhookCreate, InboundWebhookUpdate } from '../transport/requests.js';
import { idOf, nothing, type Transport } from '../transport/transport.js';

/** Code hosts and issue trackers whose events become memories. For owners. */
export class InboundWebhooksResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Registers a sender. Only this response contains the secret.
   *
   * @example const { secret } = await client.inboundWebhooks.create({ kind: 'codehost', name: 'acme/app' });
   */
  create(webhook: InboundWebhookCreate, options: CallOptions = {}): ApiCall<InboundWebhookWithSecret> {
    return this.#transport.call('createInboundWebhook', options, (attempt) =>
      createInboundWebhook({ ...attempt, body: webhook }),
    );
  }

  /**
   * Lists the senders in the order of creation.
   *
   * @example for await (const webhook of client.inboundWebhooks.list()) console.log(webhook.name);
   */
  list(query: PageQuery = {}, options: CallOptions = {}): PagedCall<InboundWebhooksPage, InboundWebhook> {
    return this.#transport.list(
      byNextCursor(({ inboundWebhooks }: InboundWebhooksPage) => inboundWebhooks),
      query,
      (page) =>
        this.#transport.call('listInboundWebhooks', options, (attempt) =>
          listInboundWebhooks({ ...attempt, query: page }),
        ),
    );
  }

  /**
   * Returns a sender.
   *
   * @throws {NotFoundError}
   * @example const { enabled } = await client.inboundWebhooks.get(webhookId);
   */
  get(webhookId: string, options: CallOptions = {}): ApiCall<InboundWebhook> {
    return this.#transport.call('getInboundWebhook', options, (attempt) =>
      getInboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) } }),
    );
  }

  /**
   * Changes the given fields; `enabled` switches the webhook on or off.
   *
   * @example await client.inboundWebhooks.update(webhookId, { enabled: false });
   */
  update(webhookId: string, change: InboundWebhookUpdate, options: CallOptions = {}): ApiCall<InboundWebhook> {
    return this.#transport.call('updateInboundWebhook', options, (attempt) =>
      updateInboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) }, body: change }),
    );
  }

  /**
   * Deletes a sender and its deliveries.
   *
   * @example await client.inboundWebhooks.delete(webhookId);
   */
  delete(webhookId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'deleteInboundWebhook',
      options,
      (attempt) => deleteInboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) } }),
      nothing,
    );
  }

  /**
   * Creates a new secret. The service accepts the old one for 24 more hours.
   *
   * @example const { secret } = await client.inboundWebhooks.rotateSecret(webhookId);
   */
  rotateSecret(webhookId: string, options: CallOptions = {}): ApiCall<InboundWebhookWithSecret> {
    return this.#transport.call('rotateInboundWebhookSecret', options, (attempt) =>
      rotateInboundWebhookSecret({ ...attempt, path: { webhookId: idOf(webhookId) } }),
    );
  }

  /**
   * Lists the deliveries and their results, newest first.
   *
   * @example for await (const delivery of client.inboundWebhooks.deliveries(webhookId)) console.log(delivery.state);
   */
  deliveries(
    webhookId: string,
    query: InboundDeliveriesQuery = {},
    options: CallOptions = {},
  ): PagedCall<InboundDeliveriesPage, InboundDelivery> {
    return this.#transport.list(
      byNextCursor(({ inboundDeliveries }: InboundDeliveriesPage) => inboundDeliveries),
      query,
      (page) =>
        this.#transport.call('listInboundDeliveries', options, (attempt) =>
          listInboundDeliveries({ ...attempt, path: { webhookId: idOf(webhookId) }, query: page }),
        ),
    );
  }
}
