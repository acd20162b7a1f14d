import { useEffect, useRef } from 'preact/hooks';
import { preference } from '../browser/preference.js';

export interface Shortcut {
  /** One key, such as `/`, or two after each other, such as `g m`. `mod+` stands for ⌘ or Ctrl. */
  keys: string;
  /** Says what it does, in the list of shortcuts. */
  label: string;
  run: () => void;
}

/** Time in which the second of two keys must follow. */
const SEQUENCE_MS = 1_000;
/** Elements that take the keys themselves. */
const TYPING = 'input, textarea, select, [contenteditable], [role=menu], [role=listbox]';
/** Elements that Enter activates. */
const ACTIVATED = 'a, button, summary, [role=tab]';

/** Later entries come first, so that a page can replace a key of the shell. */
const active: { readonly current: readonly Shortcut[] }[] = [];
let pending: { key: string; at: number } | undefined;

/** If single keys act. Shortcuts with ⌘ or Ctrl always do. */
export const singleKeys = preference('shortcuts', ['on', 'off']);

/** Lets keys act while the component is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    active.push(latest);
    if (active.length === 1) addEventListener('keydown', onKeyDown);
    return () => {
      active.splice(active.indexOf(latest), 1);
      if (active.length === 0) removeEventListener('keydown', onKeyDown);
    };
  }, []);
}

/** Lists the shortcuts of everything that is shown now. */
export function activeShortcuts(): Shortcut[] {
  return active.flatMap(({ current }) => current);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const found = find(event);
  if (!found) return;
  event.preventDefault();
  pending = undefined;
  found.run();
}

function find(event: KeyboardEvent): Shortcut | undefined {
  const hasModifier = event.metaKey || event.ctrlKey;
  if (hasModifier) return event.altKey ? undefined : named(`mod+${event.key.toLowerCase()}`);
  if (event.altKey || singleKeys.get() === 'off' || isTaken(event)) return undefined;
  const now = Date.now();
  const first = pending && now - pending.at < SEQUENCE_MS ? pending.key : undefined;
  pending = { key: event.key, at: now };
  return (first === undefined ? undefined : named(`${first} ${event.key}`)) ?? named(event.key);
}

function named(keys: string): Shortcut | undefined {
  return activeShortcuts().findLast((shortcut) => shortcut.keys === keys);
}

/** Reports if the element with the focus, or an open dialog, uses the key. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(TYPING) || document.querySelector('dialog:modal')) return true;
  return key === 'Enter' && target.closest(ACTIVATED) !== null;
}
