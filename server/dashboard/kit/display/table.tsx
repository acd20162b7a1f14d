import type { ComponentChildren } from 'preact';
import { useFocusKeys } from '../keyboard/focus-keys.js';
import styles from './table.module.css';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned at the end. */
  align?: 'start' | 'end';
  /** True if the column is left out on a phone. */
  wideOnly?: boolean;
}

interface TableProps<Row> {
  /** Names the rows of the table, for people who do not see the page. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The key of the row that is open beside the table. */
  selected?: string | undefined;
}

/** A `Table` whose rows `j` and `k` select. Enter follows the first link of a row, or else presses the button of its name. */
export function KeyTable<Row>(props: TableProps<Row>) {
  const frame = useFocusKeys<HTMLDivElement>({
    count: props.rows.length,
    items: 'tbody tr',
    openerOf: (row) => row.querySelector('a') ?? row.querySelector('th button'),
  });
  return (
    <div ref={frame}>
      <Table {...props} />
    </div>
  );
}

/** A table that scrolls sideways where it is too wide. The first column names its row. */
export function Table<Row>({ caption, columns, rows, keyOf, selected }: TableProps<Row>) {
  return (
    <section class={styles.frame} aria-label={caption} tabIndex={0}>
      <table class={styles.table}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={cellClass(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} tabIndex={-1} aria-current={keyOf(row) === selected || undefined}>
              {columns.map((column, at) => (
                <Cell key={column.title} column={column} row={row} isName={at === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell<Row>({ column, row, isName }: { column: Column<Row>; row: Row; isName: boolean }) {
  if (isName) {
    return (
      <th scope="row" class={cellClass(column)}>
        {column.cell(row)}
      </th>
    );
  }
  return <td class={cellClass(column)}>{column.cell(row)}</td>;
}

function cellClass({ align, wideOnly }: Column<never>): string {
  return `${align === 'end' ? styles.end : ''} ${wideOnly ? styles.wideOnly : ''}`;
}
