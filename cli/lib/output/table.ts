import { styleText } from 'node:util';
import { displayWidth, truncate } from './display-width.js';

/** A column: its heading, and the text of a row in it. */
export interface Column<Row> {
  heading: string;
  text: (row: Row) => string | number | boolean | null | undefined;
  align?: 'right';
  /** Most columns of a cell where no terminal limits the table. Default: any number. */
  most?: number;
}

export interface TableOptions<Row> {
  /** True if the headings are bold. */
  color?: boolean;
  /** Columns of the terminal. Undefined if the output is not a terminal. */
  width?: number | undefined;
  /** Returns a text for a line of its own under the row. */
  detailOf?: ((row: Row) => string | undefined) | undefined;
}

const GAP = '  ';
/** Columns that a cell keeps in a narrow terminal. */
const NARROWEST = 8;
/** A longer text fits in no terminal, and measuring it takes time. */
const MEASURED_LENGTH = 500;

/**
 * Formats rows under headings, with columns as wide as their widest cell. In a terminal, the widest columns are truncated
 * until the lines fit; ids and numbers stay whole. Removes line breaks and control characters, so that no stored content
 * can move the cursor or change colours.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { color = false, detailOf, width }: TableOptions<Row> = {},
): string {
  const headings = columns.map(({ heading }) => heading.toUpperCase());
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column, width !== undefined)));
  const natural = headings.map((heading, at) =>
    Math.max(heading.length, ...cells.map((line) => displayWidth(line[at] ?? ''))),
  );
  const widths = width === undefined ? natural : fitted(natural, columns.map(isWhole), width);
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => pad(truncate(text, widths[at] ?? 0), widths[at] ?? 0, columns[at]?.align))
      .join(GAP)
      .trimEnd();
  const head = line(headings);
  const lines = rows.flatMap((row, at) => {
    const detail = detailOf?.(row);
    return [line(cells[at] ?? []), ...(detail === undefined ? [] : [`${GAP}${oneLine(detail)}`])];
  });
  return [color ? styleText('bold', head, { validateStream: false }) : head, ...lines].join('\n');
}

function cellOf<Row>(row: Row, { text, most }: Column<Row>, isFitted: boolean): string {
  const value = String(text(row) ?? '');
  if (isFitted) return oneLine(value.slice(0, MEASURED_LENGTH));
  return most === undefined ? oneLine(value) : truncate(oneLine(value.slice(0, MEASURED_LENGTH)), most);
}

/** Reports if a cell of the column is useless when truncated. */
function isWhole({ heading, align }: Pick<Column<never>, 'heading' | 'align'>): boolean {
  return align === 'right' || /\bid$/.test(heading);
}

/** Narrows the widest columns until all fit in a line. Columns that stay whole keep their width. */
function fitted(natural: readonly number[], whole: readonly boolean[], width: number): number[] {
  const widths = [...natural];
  const sum = () => widths.reduce((total, one) => total + one, GAP.length * (widths.length - 1));
  for (let over = sum() - width; over > 0; over = sum() - width) {
    const shrinkable = widths.map((one, at) => (whole[at] ? 0 : one));
    const [widest = 0, next = 0] = shrinkable.toSorted((one, other) => other - one);
    if (widest <= NARROWEST) break;
    const at = shrinkable.indexOf(widest);
    // Not below the next one, with which the rest is shared.
    widths[at] = Math.max(NARROWEST, widest - over, Math.min(next, widest - 1));
  }
  return widths;
}

/** Formats one name and value per line. */
export function formatFields(fields: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}${GAP}${oneLine(textOf(value))}`).join('\n');
}

/** Puts a text in one line without control characters. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}|\p{Cf}/gu, '')
    .trim();
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  const room = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? room + text : text + room;
}
