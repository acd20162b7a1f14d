import { type ApiCall, byNextCursor, type PagedCall } from '../calls.js';
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
  InboundWebhookCreate,
  InboundWebhooksPage,
  InboundWebhookUpdate,
  InboundWebhookWithSecret,
} from '../generated/types.gen.js';
import type { CallOptions, PageQuery } from '../options.js';
import { idOf, nothing, type Transport } from '../transport.js';

/** Code hosts and issue trackers whose events become memories. For owners. */
export class InboundWebhooksResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Registers a sender. The secret is in this answer and in no later one. */
  create(webhook: InboundWebhookCreate, options: CallOptions = {}): ApiCall<InboundWebhookWithSecret> {
    return this.#transport.call('createInboundWebhook', options, (attempt) =>
      createInboundWebhook({ ...attempt, body: webhook }),
    );
  }

  /** In the order of creation. */
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

  get(webhookId: string, options: CallOptions = {}): ApiCall<InboundWebhook> {
    return this.#transport.call('getInboundWebhook', options, (attempt) =>
      getInboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) } }),
    );
  }

  /** Members that are left out stay as they are; `enabled` switches it off and on. */
  update(webhookId: string, change: InboundWebhookUpdate, options: CallOptions = {}): ApiCall<InboundWebhook> {
    return this.#transport.call('updateInboundWebhook', options, (attempt) =>
      updateInboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) }, body: change }),
    );
  }

  /** Removes a sender with its log. */
  delete(webhookId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'deleteInboundWebhook',
      options,
      (attempt) => deleteInboundWebhook({ ...attempt, path: { webhookId: idOf(webhookId) } }),
      nothing,
    );
  }

  /** A new secret; the one before is taken as well for 24 hours. */
  rotateSecret(webhookId: string, options: CallOptions = {}): ApiCall<InboundWebhookWithSecret> {
    return this.#transport.call('rotateInboundWebhookSecret', options, (attempt) =>
      rotateInboundWebhookSecret({ ...attempt, path: { webhookId: idOf(webhookId) } }),
    );
  }

  /** What came in and what became of it, newest first. */
  deliveries(
    webhookId: string,
    query: PageQuery = {},
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
