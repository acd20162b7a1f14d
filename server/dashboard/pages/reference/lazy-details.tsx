import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import styles from './lazy-details.module.css';

interface LazyDetailsProps {
  summary: ComponentChildren;
  isOpen?: boolean;
  /** Renders the content when it is opened. */
  children: () => ComponentChildren;
}

/** Content that exists only while it is open. */
export function LazyDetails({ summary, isOpen = false, children }: LazyDetailsProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details class={styles.details} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {open && <div class={styles.content}>{children()}</div>}
    </details>
  );
}
