const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** Shorter distances are "now". */
const NOW_SECONDS = 45;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Returns the distance of a time to now, such as "3 days ago" or "in 2 hours". */
export function relativeTime(value: string, nowMs: number): string {
  const seconds = (Date.parse(value) - nowMs) / 1_000;
  if (Number.isNaN(seconds)) return value;
  if (Math.abs(seconds) < NOW_SECONDS) return 'now';
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
  return relative.format(Math.round(seconds / length), unit);
}

/** Returns a time in the zone and language of the browser. */
export function absoluteTime(value: string): string {
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : absolute.format(time);
}
