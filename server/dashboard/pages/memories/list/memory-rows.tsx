import type { BrowsedMemory } from '@memory-service/sdk';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { usePlace } from '../../../data/organization.js';
import { Badge } from '../../../kit/display/badge.js';
import { MemoryText } from '../../../kit/display/memory-text.js';
import { Time } from '../../../kit/display/time.js';
import { isRateLimited } from '../../../kit/feedback/failure.js';
import { FailureNotice } from '../../../kit/feedback/failure-notice.js';
import type { MemoryList } from '../memory-list.js';
import { Labels } from './labels.js';
import styles from './memory-rows.module.css';
import { useVirtualRows } from './virtual-rows.js';

/** Same as in the style sheet. */
const ROW_HEIGHT = 64;
/** The next page is read when so few rows follow. */
const ROWS_AHEAD = 40;

interface MemoryRowsProps {
  list: MemoryList;
  /** The memory that the keys have moved to, or that is open. */
  current: string | undefined;
  /** True if the row of `current` takes the focus. */
  takesFocus: boolean;
  byChange: boolean;
  chosen: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
  addressOf: (id: string) => string;
  scroller: RefObject<HTMLElement>;
  head: RefObject<HTMLElement>;
}

/** The rows in view of a list of any length. */
export function MemoryRows({ list, current, takesFocus, chosen, scroller, head, ...row }: MemoryRowsProps) {
  const { rows, query } = list;
  const frame = useRef<HTMLUListElement>(null);
  const { range, reveal } = useVirtualRows({ rowHeight: ROW_HEIGHT, scroller, head, list: frame });
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && range.end > rows.length - ROWS_AHEAD) void fetchNextPage();
  }, [range.end, rows.length, hasNextPage, isFetching, isError, fetchNextPage]);
  // Before the next key arrives: Enter opens the row that has the focus.
  useLayoutEffect(() => {
    const at = rows.findIndex(({ id }) => id === current);
    if (at === -1) return;
    reveal(at);
    if (takesFocus)
      frame.current?.querySelector<HTMLElement>(`a[data-id="${current}"]`)?.focus({ preventScroll: true });
  }, [current, takesFocus]);

  const { error, failureReason, isFetchingNextPage } = query;
  const isWaiting = error === null && isFetchingNextPage && isRateLimited(failureReason);
  const failure = isWaiting ? failureReason : error;

  return (
    <>
      <ul ref={frame} class={styles.list} aria-label="Memories" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(range.first, range.end).map((memory, at) => (
          <Row
            key={memory.id}
            memory={memory}
            at={range.first + at}
            size={hasNextPage ? -1 : rows.length}
            isCurrent={memory.id === current}
            isChosen={chosen.has(memory.id)}
            {...row}
          />
        ))}
      </ul>
      {failure && <FailureNotice error={failure} isWaiting={isWaiting} onRetry={() => void fetchNextPage()} />}
    </>
  );
}

interface RowProps extends Pick<MemoryRowsProps, 'byChange' | 'onChoose' | 'addressOf'> {
  memory: BrowsedMemory;
  at: number;
  /** Rows of the whole list; -1 if it goes on. */
  size: number;
  isCurrent: boolean;
  isChosen: boolean;
}

/** Rendered only if something of it changes, so that scrolling costs no more than the rows that come into view. */
function Row(row: RowProps) {
  const { memory, at, size, isCurrent, isChosen, byChange, onChoose, addressOf } = row;
  return useMemo(() => <RowContent {...row} />, [memory, at, size, isCurrent, isChosen, byChange, onChoose, addressOf]);
}

/** Has few elements, because a jump through the list renders all rows in view at once. */
function RowContent({ memory, at, size, isCurrent, isChosen, byChange, onChoose, addressOf }: RowProps) {
  const { can } = usePlace();
  const { id, content, deletedAt } = memory;
  return (
    <li
      class={isCurrent ? `${styles.row} ${styles.current}` : styles.row}
      aria-setsize={size}
      aria-posinset={at + 1}
      style={{ top: `${at * ROW_HEIGHT}px` }}
    >
      {can('deleteMemories') && (
        <label class={styles.choice}>
          <input
            type="checkbox"
            aria-label="Select this memory"
            checked={isChosen}
            disabled={deletedAt !== undefined}
            onChange={(event) => onChoose(id, event.currentTarget.checked)}
          />
        </label>
      )}
      <a
        class={deletedAt === undefined ? styles.link : `${styles.link} ${styles.gone}`}
        href={addressOf(id)}
        data-id={id}
        aria-current={isCurrent || undefined}
      >
        <MemoryText oneLine text={content.replace(/\s+/g, ' ')} />
        <span class={styles.end}>
          {deletedAt !== undefined && <Badge tone="danger">Deleted</Badge>}
          <Time value={byChange ? memory.updatedAt : memory.createdAt} />
        </span>
        <Labels memory={memory} />
      </a>
    </li>
  );
}
