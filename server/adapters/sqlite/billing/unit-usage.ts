import type { DailyKind } from '../../../domain/billing/usage-day.js';
import type { Connection } from '../engine/connection.js';
import { addDaily, type DailyPlace, dailyKey } from './daily-rows.js';
import { addUsage, readUsage } from './usage-meter.js';

/** The usage that a unit of work counts. It is written once, at the end of the unit. */
export class UnitUsage {
  readonly #connection: Connection;
  readonly #org: number;
  /** Ingests by period, as stored before the unit. */
  readonly #before = new Map<string, number>();
  readonly #ingests = new Map<string, number>();
  readonly #days = new Map<string, { place: DailyPlace; count: number }>();

  constructor(connection: Connection, org: number) {
    this.#connection = connection;
    this.#org = org;
  }

  ingested(period: string): number {
    const before = this.#before.get(period) ?? readUsage(this.#connection, this.#org, period).ingest;
    this.#before.set(period, before);
    return before + (this.#ingests.get(period) ?? 0);
  }

  countIngest(period: string, amount: number): void {
    this.#ingests.set(period, (this.#ingests.get(period) ?? 0) + amount);
  }

  countDaily(day: string, kind: DailyKind): void {
    const place = { org: this.#org, day, kind };
    const key = dailyKey(place);
    this.#days.set(key, { place, count: (this.#days.get(key)?.count ?? 0) + 1 });
  }

  write(): void {
    for (const [period, ingest] of this.#ingests) addUsage(this.#connection, this.#org, period, { ingest });
    for (const { place, count } of this.#days.values()) addDaily(this.#connection, place, count);
  }
}
