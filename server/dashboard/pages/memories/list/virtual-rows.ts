import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualRowsOptions {
  /** Pixels of every row. */
  rowHeight: number;
  /** The element that scrolls. It is positioned. */
  scroller: RefObject<HTMLElement>;
  /** Stands above the rows in the scroller. */
  head: RefObject<HTMLElement>;
  list: RefObject<HTMLElement>;
}

interface Range {
  first: number;
  /** The row after the last one. The list may have fewer. */
  end: number;
}

interface VirtualRows {
  /** The rows to render: those in view, and some around them. */
  range: Range;
  /** Scrolls until a row is in view, with the row before and after it. */
  reveal: (at: number) => void;
}

/** Rows rendered above and below those in view. */
const OVERSCAN = 8;
/** The same right after a jump, so that the rows in view appear soon. */
const FIRST_OVERSCAN = 1;
const FILL_MS = 100;

/** Follows which rows of a list are in view. All rows have the same height, so that the cost does not grow with them. */
export function useVirtualRows({ rowHeight, scroller, head, list }: VirtualRowsOptions): VirtualRows {
  const [range, setRange] = useState(() => firstRange(scroller.current, head.current, rowHeight));
  /** Where the list begins in the scroller, and how much of it is in view. */
  const frame = useRef({ top: 0, height: 0 });
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const view = () => viewOf(box.scrollTop, frame.current, rowHeight);
    let filling: ReturnType<typeof setTimeout> | undefined;
    // The others follow in a pause: between two jumps they would be rendered for nobody.
    const fillLater = () => {
      clearTimeout(filling);
      filling = setTimeout(() => setRange((shown) => rangeAround(view(), shown, OVERSCAN)), FILL_MS);
    };
    const follow = () => {
      setRange((shown) => rangeAround(view(), shown, overscanOf(view(), shown)));
      fillLater();
    };
    // The observer calls it at once, when the layout of the page is known.
    const measure = () => {
      frame.current = { top: list.current?.offsetTop ?? 0, height: box.clientHeight };
      setRange((shown) => rangeAround(view(), shown, 0));
      fillLater();
    };
    const observer = new ResizeObserver(measure);
    for (const element of [box, head.current]) if (element) observer.observe(element);
    box.addEventListener('scroll', follow, { passive: true });
    return () => {
      clearTimeout(filling);
      observer.disconnect();
      box.removeEventListener('scroll', follow);
    };
  }, [rowHeight, scroller, head, list]);

  const reveal = (at: number) => {
    const box = scroller.current;
    if (!box) return;
    const top = list.current?.offsetTop ?? 0;
    const start = top + (at - 1) * rowHeight;
    const end = top + (at + 2) * rowHeight;
    if (start < box.scrollTop) box.scrollTop = start;
    else if (end > box.scrollTop + box.clientHeight) box.scrollTop = end - box.clientHeight;
  };
  return { range, reveal };
}

/** Returns the rows that have room below the head, before there is a list to measure. */
function firstRange(box: HTMLElement | null, head: HTMLElement | null, rowHeight: number): Range {
  const height = box && head ? box.clientHeight - head.offsetTop - head.offsetHeight : innerHeight;
  return { first: 0, end: Math.max(1, Math.ceil(height / rowHeight)) };
}

/** Returns the rows in view. */
export function viewOf(scrollTop: number, { top, height }: { top: number; height: number }, rowHeight: number): Range {
  const start = scrollTop - top;
  return {
    first: Math.max(0, Math.floor(start / rowHeight)),
    end: Math.max(0, Math.ceil((start + height) / rowHeight)),
  };
}

/** Returns how many rows around those in view a scroll renders at once: few, if it also renders those in view. */
export function overscanOf(view: Range, shown: Range): number {
  return shown.first <= view.first && shown.end >= view.end ? OVERSCAN : FIRST_OVERSCAN;
}

/** Returns the rows to render: those in view and `overscan` more on both sides, and of the rows shown what is near. */
export function rangeAround(view: Range, shown: Range, overscan: number): Range {
  const least = widened(view, overscan);
  const most = widened(view, OVERSCAN);
  const isNear = shown.first <= least.end && shown.end >= least.first;
  const first = isNear ? Math.max(most.first, Math.min(least.first, shown.first)) : least.first;
  const end = isNear ? Math.min(most.end, Math.max(least.end, shown.end)) : least.end;
  return first === shown.first && end === shown.end ? shown : { first, end };
}

function widened({ first, end }: Range, by: number): Range {
  return { first: Math.max(0, first - by), end: end + by };
}
