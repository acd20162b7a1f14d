import * as Flags from '@oclif/core/flags';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
/** The start of every ISO 8601 time. The service validates the rest. */
const DATE = /^\s*\d{4}-/;

/** Converts `2d` to the time two days before now. Returns any other text as it is, since the service validates times. */
export function absoluteTime(text: string, now = Date.now()): string {
  const length = lengthOf(text);
  return length === undefined ? text : new Date(now - length).toISOString();
}

/** Converts `2d` to the time in two days. Returns any other text as it is. */
export function comingTime(text: string, now = Date.now()): string {
  const length = lengthOf(text);
  return length === undefined ? text : new Date(now + length).toISOString();
}

function lengthOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text.trim()) ?? [];
  const length = UNIT_MS[unit];
  return count === undefined || length === undefined ? undefined : Number(count) * length;
}

/** A flag whose value is a time: ISO 8601, or the time since then, such as `2d`. */
export function timeFlag(description: string) {
  return Flags.string({
    description: `${description}: ISO 8601 with a zone, or 30s, 5m, 12h, 2d or 1w ago`,
    parse: async (text) => dated(absoluteTime(text), text),
  });
}

/** @throws {CommandError} if a time does not begin with a date */
function dated(time: string, given: string): string {
  if (DATE.test(time)) return time;
  throw new CommandError(
    `${JSON.stringify(given)} is not a time: use ISO 8601, such as 2026-11-20T12:00:00Z, or 30s, 5m, 12h, 2d or 1w for a time before now`,
    { exit: EXIT.usage },
  );
}

/** A flag whose value is a time to come: ISO 8601, or the time until then, such as `7d`. */
export function comingTimeFlag(description: string) {
  return Flags.string({
    description: `${description}: ISO 8601 with a zone, or in 30s, 5m, 12h, 7d or 2w`,
    parse: async (text) => comingTime(text),
  });
}
