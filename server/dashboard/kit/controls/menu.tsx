import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import styles from './menu.module.css';

export interface MenuItem {
  label: ComponentChildren;
  /** Exactly one of `href` and `run`. */
  href?: string;
  run?: () => void;
  /** The item is one of a choice, and this tells if it is chosen. */
  isChecked?: boolean;
  isDangerous?: boolean;
}

interface MenuProps {
  /** The content of the button. It must have a text, which may be visually hidden. */
  button: ComponentChildren;
  /** The name of the menu. */
  label: string;
  items: readonly MenuItem[];
  /** The edge of the button that the menu begins at. */
  align?: 'start' | 'end';
}

const MOVES: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** A button that opens a menu. The browser closes it at Escape and at a click elsewhere. */
export function Menu({ button, label, items, align = 'start' }: MenuProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const entries = () => Array.from(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []);

  const place = () => {
    const bounds = opener.current?.getBoundingClientRect();
    const { style } = list.current ?? {};
    if (!bounds || !style) return;
    style.top = `${bounds.bottom + 4}px`;
    style.left = align === 'start' ? `${bounds.left}px` : 'auto';
    style.right = align === 'end' ? `${document.documentElement.clientWidth - bounds.right}px` : 'auto';
  };
  /** The browser reports the opening later. An item that has the focus by then keeps it. */
  const focusFirst = () => {
    const all = entries();
    if (!all.some((entry) => entry === document.activeElement)) all[0]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const all = entries();
    all[move(all.indexOf(document.activeElement as HTMLElement), all.length)]?.focus();
  };

  return (
    <>
      <button ref={opener} type="button" class={styles.opener} popovertarget={id} aria-haspopup="menu">
        {button}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        class={styles.menu}
        onBeforeToggle={place}
        onToggle={(event) => event.newState === 'open' && focusFirst()}
        onKeyDown={onKeyDown}
        onClick={() => list.current?.hidePopover()}
      >
        {items.map((item, at) => (
          <Item key={at} {...item} />
        ))}
      </div>
    </>
  );
}

function Item({ label, href, run, isChecked, isDangerous = false }: MenuItem) {
  const shared = {
    role: isChecked === undefined ? 'menuitem' : 'menuitemradio',
    'aria-checked': isChecked,
    tabIndex: -1,
    class: `${styles.item} ${isDangerous ? styles.danger : ''}`,
  } as const;
  if (href !== undefined) {
    return (
      <a {...shared} href={href}>
        {label}
      </a>
    );
  }
  return (
    <button {...shared} type="button" onClick={run}>
      {label}
    </button>
  );
}
