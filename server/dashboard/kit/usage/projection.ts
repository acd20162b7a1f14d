/** A projection from a shorter part of the period says little. */
const MIN_ELAPSED_SHARE = 0.02;

interface Period {
  startsAt: string;
  endsAt: string;
}

/**
 * Returns the use at the end of a period if it goes on as before, rounded to two digits and to a whole number.
 *
 * @returns undefined while the period is too young, or if there is nothing to project
 */
export function projected(used: number, { startsAt, endsAt }: Period, nowMs: number): number | undefined {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  const elapsed = (nowMs - start) / (end - start);
  if (used === 0 || !(elapsed >= MIN_ELAPSED_SHARE) || elapsed >= 1) return undefined;
  return Math.max(used, Math.round(Number((used / elapsed).toPrecision(2))));
}
