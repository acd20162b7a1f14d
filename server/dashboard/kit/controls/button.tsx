import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'preact';
import styles from './button.module.css';

type Look = 'primary' | 'secondary' | 'danger' | 'quiet';

interface ButtonProps extends ButtonHTMLAttributes {
  look?: Look;
  /** True while the action runs: the button keeps its focus and ignores clicks. */
  busy?: boolean;
}

export function Button({ look = 'secondary', busy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`${styles.button} ${styles[look]}`}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={busy ? prevent : onClick}
    >
      {children}
    </button>
  );
}

interface ButtonLinkProps extends AnchorHTMLAttributes {
  href: string;
  look?: Look;
}

/** A link that looks like a button. */
export function ButtonLink({ look = 'secondary', children, ...rest }: ButtonLinkProps) {
  return (
    <a {...rest} class={`${styles.button} ${styles[look]}`}>
      {children}
    </a>
  );
}

function prevent(event: Event): void {
  event.preventDefault();
}
