import type { ComponentChildren } from 'preact';
import icon from '../design/icon.svg';
import styles from './bare-page.module.css';

/** A page outside of an organization: one narrow box. */
export function BarePage({ children }: { children: ComponentChildren }) {
  return (
    <main class={styles.page}>
      <p class={styles.brand}>
        <img src={icon} width={24} height={24} alt="" />
        Memory Service
      </p>
      <div class={styles.box}>{children}</div>
    </main>
  );
}
