import type { DailyKind, DailyUsage } from '../../../domain/billing/usage-day.js';
import type { Connection } from '../engine/connection.js';

/** The organization, day and kind of a daily count. */
export interface DailyPlace {
  org: number;
  day: string;
  kind: DailyKind;
}

export function dailyKey({ org, day, kind }: DailyPlace): string {
  return `${org} ${day} ${kind}`;
}

export function addDaily(writer: Connection, { org, day, kind }: DailyPlace, count: number): void {
  const sql = `INSERT INTO daily_usage (org, day, ${kind}) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET ${kind} = ${kind} + excluded.${kind}`;
  writer.run(sql, org, day, count);
}

export function readDays(connection: Connection, org: number, from: string): DailyUsage[] {
  const sql = 'SELECT day, stored, merged, replayed, searched FROM daily_usage WHERE org = ? AND day >= ? ORDER BY day';
  return connection.all<DailyUsage>(sql, org, from).map((row) => ({ ...row }));
}
