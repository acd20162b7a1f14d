import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { PageQuery } from '../../../domain/page.js';
import type { InboundDeliveryQuery, InboundStore } from '../../../ports/inbound-store.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import { allOf, condition } from '../engine/statements/sql.js';
import type { WriteAlone } from '../engine/writer.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  LISTED_DELIVERY_COLUMNS,
  SELECT_WEBHOOK,
  toDelivery,
  toWebhook,
  type WebhookRow,
} from './inbound-rows.js';

export class SqliteInboundStore implements InboundStore {
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #write: WriteAlone;

  constructor(reader: Connection, organizations: Organizations, write: WriteAlone) {
    this.#reader = reader;
    this.#organizations = organizations;
    this.#write = write;
  }

  async findWebhook(webhookId: string): Promise<InboundWebhook | undefined> {
    const row = this.#reader.get<WebhookRow>(`${SELECT_WEBHOOK} WHERE w.id = ?`, webhookId);
    return row && toWebhook(row);
  }

  async listWebhooks(organizationId: string, { after, limit }: PageQuery): Promise<InboundWebhook[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    const rows = this.#reader.all<WebhookRow>(
      `${SELECT_WEBHOOK} WHERE w.org = ? AND (w.created_at, w.id) > (?, ?) ORDER BY w.created_at, w.id LIMIT +?`,
      org,
      after?.at ?? 0,
      after?.id ?? '',
      limit,
    );
    return rows.map(toWebhook);
  }

  async listDeliveries(
    organizationId: string,
    webhookId: string,
    { state, after, limit }: InboundDeliveryQuery,
  ): Promise<InboundDelivery[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    const conditions = [condition('org = ?', org), condition('webhook_id = ?', webhookId)];
    if (state !== undefined) conditions.push(condition('state = ?', state));
    if (after) conditions.push(condition('(received_at, key) < (?, ?)', after.at, after.id));
    const where = allOf(conditions);
    const sql = `SELECT ${LISTED_DELIVERY_COLUMNS} FROM inbound_deliveries
      WHERE ${where.text} ORDER BY received_at DESC, key DESC LIMIT +?`;
    const rows = this.#reader.all<DeliveryRow>(sql, ...where.parameters, limit);
    return rows.map((row) => toDelivery(organizationId, row));
  }

  async findDelivery(organizationId: string, key: string): Promise<InboundDelivery | undefined> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return undefined;
    const sql = `SELECT ${DELIVERY_COLUMNS} FROM inbound_deliveries WHERE key = ? AND org = ?`;
    const row = this.#reader.get<DeliveryRow>(sql, key, org);
    return row && toDelivery(organizationId, row);
  }

  async endDelivery(delivery: InboundDelivery): Promise<boolean> {
    const { organizationId, key, state, finishedAt, reason, counts, sealedMemories } = delivery;
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return false;
    const sql = `UPDATE inbound_deliveries SET state = ?, finished_at = ?, reason = ?, counts = ?, memories = ?
      WHERE key = ? AND org = ? AND state = 'queued'`;
    const values = [state, finishedAt ?? null, reason ?? null, JSON.stringify(counts), sealedMemories ?? null];
    const { changes } = await this.#write(organizationId, (writer) => writer.run(sql, ...values, key, org));
    return changes === 1;
  }
}
