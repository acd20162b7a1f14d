import type { Subscription } from '../../../domain/billing/subscription.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { SubscriptionStore, SubscriptionUnit } from '../../../ports/subscription-store.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';

export class SqliteSubscriptionStore implements SubscriptionStore {
  readonly #reader: Connection;
  readonly #organizations: Organizations;

  constructor(reader: Connection, organizations: Organizations) {
    this.#reader = reader;
    this.#organizations = organizations;
  }

  async of(organizationId: string): Promise<Subscription[]> {
    const org = this.#organizations.keyOf(organizationId);
    return org === undefined ? [] : readSubscriptions(this.#reader, org);
  }
}

export class SqliteSubscriptionUnit implements SubscriptionUnit {
  readonly #open: () => Connection;
  readonly #org: number;

  /** @param open returns the connection, or throws if the unit has ended */
  constructor(open: () => Connection, org: number) {
    this.#open = open;
    this.#org = org;
  }

  async all(): Promise<Subscription[]> {
    return readSubscriptions(this.#open(), this.#org);
  }

  async save(subscription: Subscription): Promise<void> {
    this.#open().run(
      'INSERT INTO subscriptions (org, id, state) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state',
      this.#org,
      subscription.id,
      JSON.stringify(subscription),
    );
  }

  async recordEvent(eventId: string, at: Microseconds): Promise<boolean> {
    const sql = 'INSERT INTO billing_events (org, id, taken_in_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    return this.#open().run(sql, this.#org, eventId, at).changes === 1;
  }

  async forgetEvents(before: Microseconds, limit: number): Promise<void> {
    const sql = `DELETE FROM billing_events WHERE org = ? AND id IN (
      SELECT id FROM billing_events WHERE org = ? AND taken_in_at < ? ORDER BY taken_in_at LIMIT +?)`;
    this.#open().run(sql, this.#org, this.#org, before, limit);
  }
}

function readSubscriptions(connection: Connection, org: number): Subscription[] {
  return connection
    .all<{ state: string }>('SELECT state FROM subscriptions WHERE org = ?', org)
    .map(({ state }) => JSON.parse(state) as Subscription);
}
