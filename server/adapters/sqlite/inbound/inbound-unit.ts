import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { Refusals } from '../../../domain/inbound/refusals.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { InboundUnit } from '../../../ports/inbound-store.js';
import type { Connection } from '../engine/connection.js';
import type { Yielder } from '../engine/yielder.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  SELECT_WEBHOOK,
  toDelivery,
  toWebhook,
  type WebhookRow,
  webhookValues,
} from './inbound-rows.js';

export class SqliteInboundUnit implements InboundUnit {
  readonly #open: () => Connection;
  readonly #organizationId: string;
  readonly #org: number;
  readonly #yielder: Yielder;

  /** @param open returns the connection, or throws if the unit has ended */
  constructor(open: () => Connection, organizationId: string, org: number, yielder: Yielder) {
    this.#yielder = yielder;
    this.#open = open;
    this.#organizationId = organizationId;
    this.#org = org;
  }

  async findWebhook(webhookId: string): Promise<InboundWebhook | undefined> {
    const row = this.#open().get<WebhookRow>(`${SELECT_WEBHOOK} WHERE w.id = ? AND w.org = ?`, webhookId, this.#org);
    return row && toWebhook(row);
  }

  async countWebhooks(): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM inbound_webhooks WHERE org = ?';
    return this.#open().get<{ count: number }>(sql, this.#org)?.count ?? 0;
  }

  async insertWebhook(webhook: InboundWebhook): Promise<void> {
    this.#open().run(
      `INSERT INTO inbound_webhooks
         (name, events, enabled, secret, previous_secret, previous_until, updated_at, id, org, kind, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...webhookValues(webhook),
      webhook.id,
      this.#org,
      webhook.kind,
      webhook.createdAt,
    );
  }

  async updateWebhook(webhook: InboundWebhook): Promise<void> {
    this.#open().run(
      `UPDATE inbound_webhooks SET name = ?, events = ?, enabled = ?, secret = ?, previous_secret = ?,
         previous_until = ?, updated_at = ? WHERE id = ? AND org = ?`,
      ...webhookValues(webhook),
      webhook.id,
      this.#org,
    );
  }

  async addRefusals(webhookId: string, { count, lastAt, lastReason }: Refusals): Promise<void> {
    const sql = `UPDATE inbound_webhooks SET refused = refused + ?, refused_at = ?, refused_reason = ?
      WHERE id = ? AND org = ?`;
    this.#open().run(sql, count, lastAt, lastReason, webhookId, this.#org);
  }

  async deleteWebhook(webhookId: string): Promise<void> {
    const sql = `DELETE FROM inbound_deliveries WHERE key IN (
      SELECT key FROM inbound_deliveries WHERE webhook_id = ? AND org = ? LIMIT +?)`;
    await this.#yielder.deleteMany((limit) => this.#open().run(sql, webhookId, this.#org, limit).changes);
    this.#open().run('DELETE FROM inbound_webhooks WHERE id = ? AND org = ?', webhookId, this.#org);
  }

  async findRepeated(webhookId: string, deliveryId: string, bodyHash: string): Promise<InboundDelivery[]> {
    const select = `SELECT ${DELIVERY_COLUMNS} FROM inbound_deliveries WHERE org = ? AND webhook_id = ?`;
    const rows = this.#open().all<DeliveryRow>(
      `${select} AND delivery_id = ? UNION ${select} AND body_hash = ?`,
      this.#org,
      webhookId,
      deliveryId,
      this.#org,
      webhookId,
      bodyHash,
    );
    return rows.map((row) => toDelivery(this.#organizationId, row));
  }

  async hasQueued(webhookId: string, atLeast: number): Promise<boolean> {
    const sql = "SELECT 1 FROM inbound_deliveries WHERE webhook_id = ? AND state = 'queued' LIMIT 1 OFFSET ?";
    return this.#open().get(sql, webhookId, atLeast - 1) !== undefined;
  }

  async insertDelivery(delivery: InboundDelivery): Promise<void> {
    this.#open().run(
      `INSERT INTO inbound_deliveries (org, ${DELIVERY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.#org,
      delivery.key,
      delivery.webhookId,
      delivery.deliveryId,
      delivery.bodyHash,
      delivery.event,
      delivery.state,
      delivery.receivedAt,
      delivery.requestId,
      delivery.finishedAt ?? null,
      delivery.reason ?? null,
      JSON.stringify(delivery.counts),
      delivery.sealedMemories ?? null,
    );
  }

  async rewrapDelivery(key: string, from: string, to: string): Promise<boolean> {
    const sql = 'UPDATE inbound_deliveries SET memories = ? WHERE key = ? AND org = ? AND memories = ?';
    return this.#open().run(sql, to, key, this.#org, from).changes === 1;
  }

  async deleteDelivery(key: string): Promise<void> {
    this.#open().run('DELETE FROM inbound_deliveries WHERE key = ? AND org = ?', key, this.#org);
  }

  async deleteDeliveries(webhookId: string, before: Microseconds, limit: number): Promise<void> {
    this.#open().run(
      `DELETE FROM inbound_deliveries WHERE key IN (
         SELECT key FROM inbound_deliveries
          WHERE org = ? AND webhook_id = ? AND received_at < ? AND state <> 'queued' ORDER BY received_at LIMIT +?)`,
      this.#org,
      webhookId,
      before,
      limit,
    );
  }
}
