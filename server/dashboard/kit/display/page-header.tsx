import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import styles from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  description?: ComponentChildren;
  /** Buttons of the whole page. */
  actions?: ComponentChildren;
}

/** True after the first page: the focus then moves to the title of each page that opens. */
let isLaterPage = false;

/** The title of a page, which is also the title of the window. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Memory Service`;
  }, [title]);
  useEffect(() => {
    if (isLaterPage) heading.current?.focus({ preventScroll: true });
    isLaterPage = true;
  }, []);
  return (
    <header class={styles.header}>
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {description !== undefined && <p class={styles.description}>{description}</p>}
      </div>
      {actions !== undefined && <div class={styles.actions}>{actions}</div>}
    </header>
  );
}
