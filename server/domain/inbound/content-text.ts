import { dropExcessMarks } from '../text/unicode.js';

/** Marks the end of a truncated part. */
const CUT = ' […]';

/**
 * Joins parts and `closing` with empty lines. If the result would exceed `maxLength` code points, the parts are
 * truncated, so that `closing` stays complete.
 */
export function composeContent(parts: readonly (string | undefined)[], closing: string, maxLength: number): string {
  const text = parts
    .filter((part) => part !== undefined)
    .map((part) => clean(part))
    .join('\n\n');
  const end = clean(closing);
  if (text === '') return cut(end, maxLength);
  const room = maxLength - Array.from(end).length - 2;
  return room <= CUT.length ? cut(end, maxLength) : `${cut(text, room)}\n\n${end}`;
}

function cut(text: string, maxLength: number): string {
  // Code units are never fewer than code points.
  if (text.length <= maxLength) return text;
  const points = Array.from(text);
  if (points.length <= maxLength) return text;
  return points.slice(0, maxLength - CUT.length).join('') + CUT;
}

/** Removes characters that a memory cannot contain. Normalizes, so that lengths are those of stored content. */
function clean(text: string): string {
  const storable = dropExcessMarks(text.toWellFormed().replaceAll('\u0000', ''));
  return storable.replaceAll('\r\n', '\n').trim().normalize('NFC');
}
