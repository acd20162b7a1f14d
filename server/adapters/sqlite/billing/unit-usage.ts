import type { DailyKind } from '../../../domain/billing/usage-day.js';
import type { Connection } from '../engine/connection.js';
import { PendingCounts } from './pending-counts.js';
import { addUsage, readUsage } from './usage-meter.js';

/** A use that a unit counts on a day. */
export interface CountedUse {
  day: string;
  kind: DailyKind;
}

/** The usage that a unit of work counts. The ingests are written once, at the end of the unit. */
export class UnitUsage {
  readonly #connection: Connection;
  readonly #org: number;
  /** Ingests by period, as stored before the unit. */
  readonly #before = new Map<string, number>();
  /** The key and the place are the period. */
  readonly #ingests = new PendingCounts<string>();
  /** Uses by day, which are counted after the unit has committed. */
  readonly days: CountedUse[] = [];

  constructor(connection: Connection, org: number) {
    this.#connection = connection;
    this.#org = org;
  }

  ingested(period: string): number {
    const before = this.#before.get(period) ?? readUsage(this.#connection, this.#org, period).ingest;
    this.#before.set(period, before);
    return before + this.#ingests.of(period);
  }

  countIngest(period: string, amount: number): void {
    this.#ingests.add(period, period, amount);
  }

  countDaily(day: string, kind: DailyKind): void {
    this.days.push({ day, kind });
  }

  write(): void {
    for (const { place, count } of this.#ingests.take())
      addUsage(this.#connection, this.#org, place, { ingest: count });
  }
}
