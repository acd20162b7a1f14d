import type { MemoryCounts } from '@memory-service/sdk';
import { useRef, useState } from 'preact/hooks';
import { useRead } from '../../../data/organization.js';
import { DataState } from '../../../kit/feedback/data-state.js';
import { FailureNotice } from '../../../kit/feedback/failure-notice.js';
import { numberText } from '../../../kit/text/number-text.js';
import { queryOf } from '../list-query.js';
import { useOldest } from '../memory-list.js';
import type { ViewControl } from '../view.js';
import styles from './histogram.module.css';
import { endOf, intervalOf, nameOf, rangeOf } from './intervals.js';

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** How many memories the view has over time. Its bars choose a range. */
export function Histogram({ view, change }: Pick<ViewControl, 'view' | 'change'>) {
  const { data: oldest, error, refetch } = useOldest();
  const range = rangeOf(view, oldest ?? '', Date.now());
  const interval = intervalOf(range, Date.now());
  const counts = useRead(
    ['counts', 'histogram', { ...view, ...range }, interval],
    (client, options) => {
      const { sort, direction: _, ...scope } = queryOf({ ...view, until: range.until });
      return client.browse.count({ ...scope, time: sort, interval, since: range.since }, options);
    },
    { enabled: oldest !== undefined },
  );
  if (error && oldest === undefined) return <FailureNotice error={error} onRetry={() => void refetch()} />;
  const isFirstRead = counts.data === undefined && counts.failureReason === null;
  // The rows below have the skeleton of the page.
  if (isFirstRead) return <div class={styles.frame} />;
  return (
    <div class={styles.frame}>
      <DataState query={counts}>
        {(found) => <Bars counts={found} onChoose={(since, until) => change({ since, until })} />}
      </DataState>
    </div>
  );
}

interface BarsProps {
  counts: MemoryCounts;
  onChoose: (since: string, until: string) => void;
}

function Bars({ counts: { interval, buckets, meta }, onChoose }: BarsProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  const [focused, setFocused] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const [pressed, setPressed] = useState<number>();
  const head = Math.min(focused ?? buckets.length - 1, buckets.length - 1);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const [first, last] = [Math.min(anchor ?? head, head), Math.max(anchor ?? head, head)];

  const choose = (from: number, to: number) => {
    const [start, end] = [buckets[from]?.start, buckets[to]?.start];
    setAnchor(undefined);
    setPressed(undefined);
    if (start !== undefined && end !== undefined) onChoose(start, endOf(end, interval));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(buckets.length - 1, Math.max(0, head + step));
    setAnchor(event.shiftKey ? (anchor ?? head) : undefined);
    setFocused(next);
    group.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <>
      <p class={styles.total}>
        <strong>{numberText(meta.count)}</strong> {meta.count === 1 ? 'memory' : 'memories'}
        <span class={styles.note}> · by {interval}, UTC</span>
      </p>
      <fieldset
        ref={group}
        class={styles.bars}
        aria-label="Choose a range of time: arrow keys move, with Shift they extend, Enter chooses"
        onKeyDown={onKeyDown}
      >
        {buckets.map(({ start, count }, at) => (
          <button
            key={start}
            type="button"
            class={`${styles.bar} ${anchor !== undefined && at >= first && at <= last ? styles.chosen : ''}`}
            tabIndex={at === head ? 0 : -1}
            title={`${nameOf(start, interval)}: ${numberText(count)}`}
            aria-label={`${nameOf(start, interval)}: ${numberText(count)}`}
            onFocus={() => setFocused(at)}
            onPointerDown={() => setPressed(at)}
            onPointerEnter={({ buttons }) => {
              if (pressed === undefined || buttons === 0) return;
              setAnchor(pressed);
              setFocused(at);
            }}
            onPointerUp={() => pressed !== undefined && pressed !== at && choose(...sorted(pressed, at))}
            onClick={() => (anchor === undefined ? choose(at, at) : choose(first, last))}
          >
            <span class={styles.fill} style={{ height: `${(count / most) * 100}%` }} />
          </button>
        ))}
      </fieldset>
      <p class={styles.ends} aria-hidden="true">
        <span>{nameOf(buckets[0]?.start ?? '', interval)}</span>
        {buckets.length > 1 && <span>{nameOf(buckets.at(-1)?.start ?? '', interval)}</span>}
      </p>
    </>
  );
}

function sorted(one: number, other: number): [number, number] {
  return one < other ? [one, other] : [other, one];
}
