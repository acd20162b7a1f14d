import type { Microseconds } from '../../../domain/timestamp.js';
import type { Connection } from '../engine/connection.js';
import { statesOf } from '../engine/statements/filter-conditions.js';

/** Range of times per query. Each further range without a free time needs one more query. */
const WINDOW_US = 1_000_000;

/** Returns `from`, or a time soon after it, at which no memory of the organization was created. */
export function freeTime(connection: Connection, org: number, from: Microseconds): Microseconds {
  let time = from;
  while (isTaken(connection, org, time)) {
    time = (lastCreated(connection, org, time, time + WINDOW_US) ?? time) + 1;
  }
  return time;
}

/** Reports if a memory of the organization was created at this time. */
export function isTaken(connection: Connection, org: number, time: Microseconds): boolean {
  return lastCreated(connection, org, time, time + 1) !== undefined;
}

function lastCreated(
  connection: Connection,
  org: number,
  from: Microseconds,
  before: Microseconds,
): number | undefined {
  const times = statesOf(true).flatMap((state) => {
    const sql = `SELECT m.created_at AS time FROM memories m
      WHERE m.org = ? AND ${state} AND m.created_at >= ? AND m.created_at < ? ORDER BY m.created_at DESC LIMIT 1`;
    return connection.get<{ time: number }>(sql, org, from, before)?.time ?? [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}
