import type { PassedOver } from '../../../domain/fairness/lanes.js';
import type { Connection } from '../engine/connection.js';

const DUE = 'name = ?1 AND locked_at IS NULL AND next_run_at <= ?2';

const LOST = 'SELECT key, lane FROM jobs WHERE name = ? AND locked_at <= ? ORDER BY locked_at';
const OLDEST = `SELECT key, lane FROM jobs WHERE ${DUE} ORDER BY next_run_at, key LIMIT 1`;

/** Steps from lane to lane in the index, so that it never reads the many jobs of a skipped lane. */
const OLDEST_OF_OTHERS = `
  WITH RECURSIVE lanes (lane) AS (
    SELECT min(lane) FROM jobs WHERE name = ?1 AND locked_at IS NULL AND next_run_at IS NOT NULL
    UNION ALL
    SELECT (SELECT min(lane) FROM jobs
        WHERE name = ?1 AND locked_at IS NULL AND next_run_at IS NOT NULL AND lane > lanes.lane)
      FROM lanes WHERE lane IS NOT NULL
  )
  SELECT (SELECT key FROM jobs WHERE ${DUE} AND lane = lanes.lane ORDER BY next_run_at, key LIMIT 1) AS key,
    (SELECT min(next_run_at) FROM jobs WHERE ${DUE} AND lane = lanes.lane) AS due
  FROM lanes
  WHERE lane NOT IN (SELECT value FROM json_each(?3))
    AND substr(lane, 1, instr(lane, '/') - 1) NOT IN (SELECT value FROM json_each(?4))
    AND due IS NOT NULL
  ORDER BY due, key LIMIT 1`;

interface Found {
  key: number;
  lane: string;
}

/** Search conditions. Times are in milliseconds. */
export interface JobSearch {
  name: string;
  /** Finds jobs that are due at or before this time. */
  until: number;
  /** Treats locks that were set at or before this time as expired. */
  lockDeadline: number;
  passedOver?: PassedOver | undefined;
}

/** Returns the key of the job with the oldest expired lock. */
export function lostJob(connection: Connection, { name, lockDeadline, passedOver }: JobSearch): number | undefined {
  return connection.all<Found>(LOST, name, lockDeadline).find((job) => isOpen(job, passedOver))?.key;
}

/** Returns the key of the job due longest. */
export function dueJob(connection: Connection, { name, until, passedOver }: JobSearch): number | undefined {
  const oldest = connection.get<Found>(OLDEST, name, until);
  if (!oldest || isOpen(oldest, passedOver)) return oldest?.key;
  const { lanes, tenants } = passedOver ?? { lanes: [], tenants: [] };
  const [closed, busy] = [JSON.stringify(lanes), JSON.stringify(tenants)];
  return connection.get<Pick<Found, 'key'>>(OLDEST_OF_OTHERS, name, until, closed, busy)?.key;
}

function isOpen({ lane }: Found, passedOver: PassedOver | undefined): boolean {
  if (!passedOver) return true;
  return !passedOver.lanes.includes(lane) && !passedOver.tenants.includes(lane.slice(0, lane.indexOf('/')));
}
