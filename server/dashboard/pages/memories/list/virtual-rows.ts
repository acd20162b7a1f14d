import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';

interface VirtualRowsOptions {
  count: number;
  rowHeight: number;
  /** The element that scrolls. It is positioned. */
  scroller: RefObject<HTMLElement>;
  /** Stands above the rows in the scroller. */
  head: RefObject<HTMLElement>;
  list: RefObject<HTMLElement>;
}

/** Rows rendered above and below those in view. */
const OVERSCAN = 8;

/** Renders only the rows in view. Returns the virtualizer, and the distance of the list from the top of the scroller. */
export function useVirtualRows({ count, rowHeight, scroller, head, list }: VirtualRowsOptions) {
  const [, rerender] = useReducer((at: number) => at + 1, 0);
  const [scrollMargin, setScrollMargin] = useState(0);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    overscan: OVERSCAN,
    scrollMargin,
    scrollPaddingStart: rowHeight,
    scrollPaddingEnd: rowHeight,
    onChange: () => rerender(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useEffect(() => {
    const observer = new ResizeObserver(() => setScrollMargin(list.current?.offsetTop ?? 0));
    if (head.current) observer.observe(head.current);
    return () => observer.disconnect();
  }, [head, list]);
  return { virtualizer, scrollMargin };
}
