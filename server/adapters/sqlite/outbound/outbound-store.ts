import type { ListedDelivery, OutboundDelivery } from '../../../domain/outbound/delivery.js';
import type { OutboundWebhook } from '../../../domain/outbound/webhook.js';
import type { PageQuery } from '../../../domain/page.js';
import type { DeliveryQuery, OutboundStore } from '../../../ports/outbound-store.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import { allOf, condition } from '../engine/sql.js';
import {
  DELIVERY_FIELDS,
  DELIVERY_STATE,
  type DeliveryRow,
  toDelivery,
  toListed,
  toWebhook,
  WEBHOOK_COLUMNS,
  type WebhookRow,
  type WholeDeliveryRow,
} from './outbound-rows.js';

/** Reads committed outbound webhooks and deliveries. */
export class SqliteOutboundStore implements OutboundStore {
  readonly #reader: Connection;
  readonly #organizations: Organizations;

  constructor(reader: Connection, organizations: Organizations) {
    this.#reader = reader;
    this.#organizations = organizations;
  }

  async findWebhook(organizationId: string, webhookId: string): Promise<OutboundWebhook | undefined> {
    const sql = `SELECT ${WEBHOOK_COLUMNS} FROM outbound_webhooks WHERE org = ? AND id = ?`;
    const row = this.#reader.get<WebhookRow>(sql, this.#org(organizationId), webhookId);
    return row && toWebhook(row);
  }

  async listWebhooks(organizationId: string, { after, limit }: PageQuery): Promise<OutboundWebhook[]> {
    const [position, values] = after ? ['AND (created_at, id) > (?, ?)', [after.at, after.id]] : ['', []];
    const sql = `SELECT ${WEBHOOK_COLUMNS} FROM outbound_webhooks WHERE org = ? ${position}
      ORDER BY created_at, id LIMIT +?`;
    return this.#reader.all<WebhookRow>(sql, this.#org(organizationId), ...values, limit).map(toWebhook);
  }

  async findDelivery(organizationId: string, deliveryId: string): Promise<OutboundDelivery | undefined> {
    const sql = `SELECT ${DELIVERY_FIELDS} FROM outbound_deliveries WHERE org = ? AND id = ?`;
    const row = this.#reader.get<WholeDeliveryRow>(sql, this.#org(organizationId), deliveryId);
    return row && toDelivery(row);
  }

  async listDeliveries(organizationId: string, query: DeliveryQuery): Promise<ListedDelivery[]> {
    const conditions = [condition('org = ?', this.#org(organizationId)), condition('webhook_id = ?', query.webhookId)];
    if (query.status !== undefined) conditions.push(condition('status = ?', query.status));
    if (query.since !== undefined) conditions.push(condition('created_at >= ?', query.since));
    if (query.after) conditions.push(condition('(created_at, id) < (?, ?)', query.after.at, query.after.id));
    const where = allOf(conditions);
    const sql = `SELECT ${DELIVERY_STATE} FROM outbound_deliveries
      WHERE ${where.text} ORDER BY created_at DESC, id DESC LIMIT +?`;
    return this.#reader.all<DeliveryRow>(sql, ...where.parameters, query.limit).map(toListed);
  }

  /** Returns null for an unknown organization, which matches no row. */
  #org(organizationId: string): number | null {
    return this.#organizations.keyOf(organizationId) ?? null;
  }
}
