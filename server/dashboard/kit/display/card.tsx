import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import styles from './card.module.css';

interface CardProps {
  title: string;
  /** Shown at the right of the title. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a page with its title. */
export function Card({ title, aside, children }: CardProps) {
  const id = useId();
  return (
    <section class={styles.card} aria-labelledby={id}>
      <header class={styles.header}>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Cards beside each other, as many as there is room for. */
export function CardGrid({ children }: { children: ComponentChildren }) {
  return <div class={styles.grid}>{children}</div>;
}
