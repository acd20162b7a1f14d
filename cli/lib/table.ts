import { styleText } from 'node:util';

/** A column: its heading, and the text of a row in it. */
export interface Column<Row> {
  heading: string;
  text: (row: Row) => string | number | boolean | null | undefined;
  align?: 'right';
}

export interface TableOptions<Row> {
  /** True if the headings are bold. */
  color?: boolean;
  /** Returns a text for a line of its own under the row. */
  detailOf?: ((row: Row) => string | undefined) | undefined;
}

const GAP = '  ';

/**
 * Formats rows under headings, with columns as wide as their widest cell. Removes line breaks and control characters, so
 * that no stored content can move the cursor or change colours.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { color = false, detailOf }: TableOptions<Row> = {},
): string {
  const cells = rows.map((row) => columns.map(({ text }) => oneLine(String(text(row) ?? ''))));
  const headings = columns.map(({ heading }) => heading.toUpperCase());
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...cells.map((line) => widthOf(line[at] ?? ''))),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => pad(text, widths[at] ?? 0, columns[at]?.align))
      .join(GAP)
      .trimEnd();
  const head = line(headings);
  const lines = rows.flatMap((row, at) => {
    const detail = detailOf?.(row);
    return [line(cells[at] ?? []), ...(detail === undefined ? [] : [`${GAP}${oneLine(detail)}`])];
  });
  return [color ? styleText('bold', head, { validateStream: false }) : head, ...lines].join('\n');
}

/** Formats one name and value per line. */
export function formatFields(fields: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}${GAP}${oneLine(textOf(value))}`).join('\n');
}

/** Puts a text in one line without control characters, truncated to at most `most` characters. */
export function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const plain = text
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}|\p{Cf}/gu, '')
    .trim();
  const characters = Array.from(plain);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : plain;
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? room + text : text + room;
}

function widthOf(text: string): number {
  return Array.from(text).length;
}
