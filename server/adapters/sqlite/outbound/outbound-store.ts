import type { ListedDelivery, OutboundDelivery } from '../../../domain/outbound/delivery.js';
import type { OutboundWebhook } from '../../../domain/outbound/webhook.js';
import type { PageQuery } from '../../../domain/page.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { DeliveryQuery, OutboundStore } from '../../../ports/outbound-store.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import { allOf, condition } from '../engine/statements/sql.js';
import type { WriteAlone } from '../engine/writer.js';
import {
  DELIVERY_FIELDS,
  DELIVERY_STATE,
  type DeliveryRow,
  stateValues,
  toDelivery,
  toListed,
  toWebhook,
  UPDATE_STATE,
  WEBHOOK_COLUMNS,
  type WebhookRow,
  type WholeDeliveryRow,
} from './outbound-rows.js';

/** Only of an attempt that was made on the same state. */
const STORE_ATTEMPT = `${UPDATE_STATE} AND status = 'pending' AND attempts = ? AND last_attempt_at IS ?`;

/** Reads committed outbound webhooks and deliveries, and stores the results of attempts. */
export class SqliteOutboundStore implements OutboundStore {
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #write: WriteAlone;

  constructor(reader: Connection, organizations: Organizations, write: WriteAlone) {
    this.#reader = reader;
    this.#organizations = organizations;
    this.#write = write;
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

  async oldestEnded(organizationId: string): Promise<Microseconds | undefined> {
    const sql = `SELECT created_at FROM outbound_deliveries INDEXED BY outbound_deliveries_done
      WHERE org = ? AND status <> 'pending' ORDER BY created_at LIMIT 1`;
    return this.#reader.get<{ created_at: number }>(sql, this.#org(organizationId))?.created_at;
  }

  async storeAttempt(organizationId: string, before: OutboundDelivery, after: OutboundDelivery): Promise<boolean> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return false;
    const values = [...stateValues(after), org, before.id, before.attempts, before.lastAttempt?.at ?? null];
    const { changes } = await this.#write(organizationId, (writer) => writer.run(STORE_ATTEMPT, ...values));
    return changes === 1;
  }

  /** Returns null for an unknown organization, which matches no row. */
  #org(organizationId: string): number | null {
    return this.#organizations.keyOf(organizationId) ?? null;
  }
}
