interface Unit {
  name: string;
  seconds: number;
  /** The words for one unit ago, and for one unit ahead. Units without them are counted. */
  neighbours?: readonly [string, string];
}

const UNITS: readonly Unit[] = [
  { name: 'year', seconds: 365 * 86_400, neighbours: ['last year', 'next year'] },
  { name: 'month', seconds: 30 * 86_400, neighbours: ['last month', 'next month'] },
  { name: 'day', seconds: 86_400, neighbours: ['yesterday', 'tomorrow'] },
  { name: 'hour', seconds: 3_600 },
];
const MINUTE: Unit = { name: 'minute', seconds: 60 };
/** Shorter distances are "now". */
const NOW_SECONDS = 45;

/**
 * Returns the distance of a time to now, such as "3 days ago" or "in 2 hours". `Intl` would say the same, but takes
 * longer to start than a page may take to show its first rows.
 */
export function relativeTime(value: string, nowMs: number): string {
  const seconds = (Date.parse(value) - nowMs) / 1_000;
  if (Number.isNaN(seconds)) return value;
  if (Math.abs(seconds) < NOW_SECONDS) return 'now';
  const unit = UNITS.find((each) => Math.abs(seconds) >= each.seconds) ?? MINUTE;
  const count = Math.max(1, Math.round(Math.abs(seconds) / unit.seconds));
  if (count === 1 && unit.neighbours) return unit.neighbours[seconds < 0 ? 0 : 1];
  const words = `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  return seconds < 0 ? `${words} ago` : `in ${words}`;
}

let absolute: Intl.DateTimeFormat | undefined;

/** Returns a time in the zone and language of the browser. */
export function absoluteTime(value: string): string {
  const time = Date.parse(value);
  absolute ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return Number.isNaN(time) ? value : absolute.format(time);
}
