import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from '../controls/button.js';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  /** Called at its close button, at Escape and at a click beside the dialog. */
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the bottom. */
  footer?: ComponentChildren;
  /** Where the dialog stands. Default: in the middle. */
  place?: 'middle' | 'side';
  /** If true, only buttons close the dialog: it shows something that cannot be shown again. */
  isFirm?: boolean;
}

/** A modal dialog. It is open while it is rendered; the focus then returns to where it was. */
export function Dialog({ title, onClose, children, footer, place = 'middle', isFirm = false }: DialogProps) {
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
    <dialog
      ref={dialog}
      class={`${styles.dialog} ${styles[place]}`}
      aria-labelledby={id}
      // Chromium closes a dialog at the second Escape, whatever its handler of `cancel` does.
      onKeyDown={(event) => isFirm && event.key === 'Escape' && event.preventDefault()}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      onClick={(event) => !isFirm && event.target === dialog.current && onClose()}
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
