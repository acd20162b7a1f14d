import type { DailyKind } from '../../../domain/billing/usage-day.js';
import type { Connection } from '../engine/connection.js';
import type { OrganizationRow } from '../engine/organization-row.js';
import { addUsage, readUsage } from './usage-meter.js';

/** A use that a unit counts on a day. */
export interface CountedUse {
  day: string;
  kind: DailyKind;
}

/** The usage that a unit of work counts. Ingests are counted in the row of the organization, which is written anyway. */
export class UnitUsage {
  readonly #connection: Connection;
  readonly #org: number;
  readonly #row: OrganizationRow;
  /** Ingests by period, as the table `usage` contains them. */
  readonly #stored = new Map<string, number>();
  /** Uses by day, which are counted after the unit has committed. */
  readonly days: CountedUse[] = [];

  constructor(connection: Connection, org: number, row: OrganizationRow) {
    this.#connection = connection;
    this.#org = org;
    this.#row = row;
  }

  ingested(period: string): number {
    const stored = this.#stored.get(period) ?? readUsage(this.#connection, this.#org, period).ingest;
    this.#stored.set(period, stored);
    return stored + this.#row.ingestsOf(period);
  }

  countIngest(period: string, amount: number): void {
    const former = this.#row.countIngests(period, amount);
    if (!former) return;
    addUsage(this.#connection, this.#org, former.period, { ingest: former.count });
    this.#stored.delete(former.period);
  }

  countDaily(day: string, kind: DailyKind): void {
    this.days.push({ day, kind });
  }
}
