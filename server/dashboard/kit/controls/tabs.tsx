import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import styles from './tabs.module.css';

interface TabsProps {
  /** The name of the group of tabs. */
  label: string;
  tabs: readonly { key: string; title: string; content: () => ComponentChildren }[];
  selected: string;
  onSelect: (key: string) => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Shows one of several contents. The arrow keys move between the tabs. */
export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    tabs.findIndex(({ key }) => key === selected),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onSelect(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next.key)}"]`)?.focus();
  };

  return (
    <div>
      <div ref={list} role="tablist" aria-label={label} class={styles.list} onKeyDown={onKeyDown}>
        {tabs.map(({ key, title }, index) => (
          <button
            key={key}
            type="button"
            role="tab"
            data-key={key}
            id={`${id}-tab-${key}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            class={styles.tab}
            onClick={() => onSelect(key)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${tabs[at]?.key}`}
        tabIndex={0}
        class={styles.panel}
      >
        {tabs[at]?.content()}
      </div>
    </div>
  );
}
