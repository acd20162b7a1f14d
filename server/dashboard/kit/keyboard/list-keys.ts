import { type Shortcut, useShortcuts } from './shortcuts.js';

interface ListKeys {
  count: number;
  /** Place of the selected row; -1 if there is none. */
  selected: number;
  onSelect: (at: number) => void;
  /** Opens the selected row. */
  onOpen: (at: number) => void;
  /** Closes what is open, or clears the selection. */
  onClose: () => void;
}

/** Lets `j` and `k` move through a list, Enter open a row and Escape close it. */
export function useListKeys({ count, selected, onSelect, onOpen, onClose }: ListKeys): void {
  const move = (step: number) => () => {
    if (count > 0) onSelect(selected === -1 ? 0 : Math.min(count - 1, Math.max(0, selected + step)));
  };
  const open: Shortcut[] =
    selected === -1 ? [] : [{ keys: 'Enter', label: 'Open the selected row', run: () => onOpen(selected) }];
  useShortcuts([
    { keys: 'j', label: 'Next row', run: move(1) },
    { keys: 'k', label: 'Previous row', run: move(-1) },
    ...open,
    { keys: 'Escape', label: 'Close', run: onClose },
  ]);
}
