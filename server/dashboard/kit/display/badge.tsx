import type { ComponentChildren } from 'preact';
import styles from './badge.module.css';

interface BadgeProps {
  tone?: 'neutral' | 'success' | 'warning' | 'danger' | 'accent';
  children: ComponentChildren;
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return <span class={`${styles.badge} ${styles[tone]}`}>{children}</span>;
}
