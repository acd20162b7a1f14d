import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useListKeys } from './list-keys.js';

interface FocusKeys {
  count: number;
  /** Selector of the elements that take the focus. */
  items: string;
  /** Returns what Enter activates. Default: the item. */
  openerOf?: (item: HTMLElement) => HTMLElement | null;
}

/**
 * Lets `j` and `k` move the focus through the items of an element, and Enter open one.
 *
 * @returns ref for the element that contains the items
 */
export function useFocusKeys<List extends HTMLElement>({
  count,
  items,
  openerOf = (item) => item,
}: FocusKeys): RefObject<List> {
  const list = useRef<List>(null);
  const [selected, setSelected] = useState(-1);
  const itemAt = (at: number) => list.current?.querySelectorAll<HTMLElement>(items)[at];
  useListKeys({
    count,
    selected,
    onSelect: (at) => {
      setSelected(at);
      itemAt(at)?.focus();
    },
    onOpen: (at) => {
      const item = itemAt(at);
      if (item) openerOf(item)?.click();
    },
    onClose: () => {
      itemAt(selected)?.blur();
      setSelected(-1);
    },
  });
  return list;
}
