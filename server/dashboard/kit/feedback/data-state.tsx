import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import styles from './data-state.module.css';
import { isRateLimited } from './failure.js';
import { FailureNotice } from './failure-notice.js';

/** The state of a query of data. A query of pages has the same members. */
type Loading<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'failureReason' | 'isFetching' | 'isPaused' | 'refetch'>;

interface DataStateProps<T> {
  query: Loading<T>;
  /** How many lines the skeleton has. Default: 4. */
  lines?: number;
  /** Shown instead of the data if `when` accepts them. */
  empty?: { when: (data: T) => boolean; show: ComponentChildren };
  children: (data: T) => ComponentChildren;
}

/** Shows the data of a query, and what there is instead: a skeleton, a failure, or nothing yet. */
export function DataState<T>({ query, lines = 4, empty, children }: DataStateProps<T>) {
  const { data, error, failureReason, isFetching, isPaused, refetch } = query;
  const isWaiting = isFetching && isRateLimited(failureReason);
  const failed = error ?? (isWaiting ? failureReason : null);
  const notice = isPaused ? (
    <p role="status">There is no network connection. The page goes on when it is back.</p>
  ) : (
    failed && <FailureNotice error={failed} onRetry={() => void refetch()} isWaiting={error === null && isWaiting} />
  );
  if (data === undefined) return notice ?? <Skeleton lines={lines} />;
  return (
    <>
      {notice}
      {empty?.when(data) ? empty.show : children(data)}
    </>
  );
}

/** Grey lines in the place of data. They appear only if the data take longer than 150 ms. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class={styles.skeleton} role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class={styles.line} />
      ))}
    </div>
  );
}

interface EmptyStateProps {
  title: string;
  children?: ComponentChildren;
  /** The one thing to do now: a button, a link or a command to copy. */
  action?: ComponentChildren;
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div class={styles.empty}>
      <h2>{title}</h2>
      {children !== undefined && <div class={styles.words}>{children}</div>}
      {action}
    </div>
  );
}
