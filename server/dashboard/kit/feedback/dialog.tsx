import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from '../controls/button.js';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  /** Called at Escape, at a click beside the dialog, and at its close button. */
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the bottom. */
  footer?: ComponentChildren;
  /** Where the dialog stands. Default: in the middle. */
  place?: 'middle' | 'side';
}

/** A modal dialog. It is open while it is rendered; the focus then returns to where it was. */
export function Dialog({ title, onClose, children, footer, place = 'middle' }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog
    <dialog
      ref={dialog}
      class={`${styles.dialog} ${styles[place]}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class={styles.content}>
        <header class={styles.header}>
          <h2 id={id}>{title}</h2>
          <Button look="quiet" aria-label="Close" onClick={onClose}>
            <span aria-hidden="true">✕</span>
          </Button>
        </header>
        <div class={styles.body}>{children}</div>
        {footer !== undefined && <footer class={styles.footer}>{footer}</footer>}
      </div>
    </dialog>
  );
}
