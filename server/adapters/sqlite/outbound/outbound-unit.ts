import type { OutboundDelivery } from '../../../domain/outbound/delivery.js';
import { TEST_EVENT } from '../../../domain/outbound/event.js';
import type { OutboundWebhook } from '../../../domain/outbound/webhook.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { NewDelivery, OutboundUnit, Restarted, RestartQuery } from '../../../ports/outbound-store.js';
import type { Connection } from '../engine/connection.js';
import type { OrganizationRow } from '../engine/organization-row.js';
import type { Yielder } from '../engine/yielder.js';
import {
  DELIVERY_COLUMNS,
  DELIVERY_FIELDS,
  deliveryValues,
  stateValues,
  toDelivery,
  toWebhook,
  UPDATE_STATE,
  WEBHOOK_COLUMNS,
  type WebhookRow,
  type WholeDeliveryRow,
  webhookValues,
} from './outbound-rows.js';

const WEBHOOKS = `SELECT ${WEBHOOK_COLUMNS} FROM outbound_webhooks WHERE org = ? ORDER BY created_at, id`;

const INSERT_PAYLOAD = 'INSERT INTO outbound_payloads (org, body) VALUES (?, ?) RETURNING key';

/** Reads and writes outbound webhooks in the transaction of one unit. */
export class SqliteOutboundUnit implements OutboundUnit {
  readonly #open: () => Connection;
  readonly #org: number;
  readonly #row: Pick<OrganizationRow, 'hadWebhooks'>;
  readonly #yielder: Yielder;
  #hasInserted = false;

  /** @param open returns the connection, or throws if the unit has ended */
  constructor(open: () => Connection, org: number, row: Pick<OrganizationRow, 'hadWebhooks'>, yielder: Yielder) {
    this.#row = row;
    this.#yielder = yielder;
    this.#open = open;
    this.#org = org;
  }

  async webhooks(): Promise<OutboundWebhook[]> {
    const connection = this.#open();
    // Every write of a memory asks, and most organizations have none.
    if (!this.#hasInserted && !this.#row.hadWebhooks) return [];
    return connection.all<WebhookRow>(WEBHOOKS, this.#org).map(toWebhook);
  }

  async insertWebhook(webhook: OutboundWebhook): Promise<void> {
    this.#hasInserted = true;
    const values = webhookValues(webhook);
    const sql = `INSERT INTO outbound_webhooks (org, ${WEBHOOK_COLUMNS}) VALUES (?, ${marks(values)})`;
    this.#open().run(sql, this.#org, ...values);
  }

  async updateWebhook(webhook: OutboundWebhook): Promise<void> {
    const values = webhookValues(webhook);
    const sql = `UPDATE outbound_webhooks SET (${WEBHOOK_COLUMNS}) = (${marks(values)}) WHERE org = ? AND id = ?`;
    const { changes } = this.#open().run(sql, ...values, this.#org, webhook.id);
    if (changes === 0) throw new Error(`There is no outbound webhook ${webhook.id}`);
  }

  async deleteWebhook(webhookId: string): Promise<void> {
    const sql = `DELETE FROM outbound_deliveries WHERE key IN (
      SELECT key FROM outbound_deliveries WHERE org = ? AND webhook_id = ? LIMIT +?)`;
    await this.#yielder.deleteMany((limit) => this.#open().run(sql, this.#org, webhookId, limit).changes);
    this.#open().run('DELETE FROM outbound_webhooks WHERE org = ? AND id = ?', this.#org, webhookId);
  }

  async findDelivery(deliveryId: string): Promise<OutboundDelivery | undefined> {
    const sql = `SELECT ${DELIVERY_FIELDS} FROM outbound_deliveries WHERE org = ? AND id = ?`;
    const row = this.#open().get<WholeDeliveryRow>(sql, this.#org, deliveryId);
    return row && toDelivery(row);
  }

  async insertDeliveries(body: string, deliveries: readonly NewDelivery[]): Promise<void> {
    const payload = this.#open().get<{ key: number }>(INSERT_PAYLOAD, this.#org, body)?.key;
    if (payload === undefined) throw new Error('The payload has no key');
    for (const delivery of deliveries) {
      const values = deliveryValues(delivery, payload);
      const sql = `INSERT INTO outbound_deliveries (org, ${DELIVERY_COLUMNS}) VALUES (?, ${marks(values)})`;
      this.#open().run(sql, this.#org, ...values);
    }
  }

  async updateDelivery(delivery: OutboundDelivery): Promise<void> {
    const { changes } = this.#open().run(UPDATE_STATE, ...stateValues(delivery), this.#org, delivery.id);
    if (changes === 0) throw new Error(`There is no delivery ${delivery.id}`);
  }

  async restartFailed({ webhookId, since, limit }: RestartQuery): Promise<Restarted> {
    const sql = `SELECT id FROM outbound_deliveries
      WHERE org = ? AND webhook_id = ? AND status = 'failed' AND created_at >= ? AND event <> ?
      ORDER BY created_at, id LIMIT +?`;
    const found = this.#open().all<{ id: string }>(sql, this.#org, webhookId, since, TEST_EVENT, limit + 1);
    const ids = found.slice(0, limit).map(({ id }) => id);
    const restart = "UPDATE outbound_deliveries SET status = 'pending', attempts = 0 WHERE org = ? AND id = ?";
    for (const id of ids) this.#open().run(restart, this.#org, id);
    return { ids, isMore: found.length > limit };
  }

  async deleteDeliveriesOf(memoryId: string): Promise<OutboundDelivery[]> {
    const sql = `SELECT ${DELIVERY_FIELDS} FROM outbound_deliveries WHERE org = ? AND memory_id = ? AND status = 'pending'`;
    const pending = this.#open().all<WholeDeliveryRow>(sql, this.#org, memoryId).map(toDelivery);
    this.#open().run('DELETE FROM outbound_deliveries WHERE org = ? AND memory_id = ?', this.#org, memoryId);
    return pending;
  }

  async deleteDeliveries(before: Microseconds, limit: number): Promise<void> {
    const sql = `DELETE FROM outbound_deliveries WHERE key IN (
      SELECT key FROM outbound_deliveries WHERE org = ? AND status <> 'pending' AND created_at < ? LIMIT +?)`;
    this.#open().run(sql, this.#org, before, limit);
  }
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
