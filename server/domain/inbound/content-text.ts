import { dropExcessMarks } from '../memory/unicode.js';

/** Ends what was cut. */
const CUT = ' […]';

/**
 * Joins the parts of a content with empty lines, the last one whole and the
 * others cut where all would be longer than `maxLength` code points.
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

/** What a memory cannot hold goes; the rest is as it was written, its NFC form measured by whoever stores it. */
function clean(text: string): string {
  const storable = dropExcessMarks(text.toWellFormed().replaceAll('\u0000', ''));
  return storable.replaceAll('\r\n', '\n').trim().normalize('NFC');
}
