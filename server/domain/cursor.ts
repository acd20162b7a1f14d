import { invalid } from './invalid.js';
import type { Position } from './page.js';
import { formatTimestamp, parseTimestamp } from './timestamp.js';

/** Error text that follows the name of a field. */
export const CURSOR_FORM = 'must be the value that the previous page gave, unchanged (URL-encoded in a query)';

const SHAPE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns `<timestamp>|<uuid>`. A cursor grants no access, because every page is read in the caller's organization. */
export function formatCursor({ at, id }: Position): string {
  return `${formatTimestamp(at)}|${id}`;
}

/**
 * Accepts only results of `formatCursor`.
 *
 * @throws {UnprocessableError} at `cursor`
 */
export function parseCursor(text: string): Position {
  const [, time, id] = SHAPE.exec(text) ?? [];
  if (time === undefined || id === undefined) throw malformed();
  const position = { at: parseTimestamp(time, 'cursor'), id };
  if (formatCursor(position) !== text) throw malformed();
  return position;
}

function malformed() {
  return invalid('cursor', CURSOR_FORM);
}
