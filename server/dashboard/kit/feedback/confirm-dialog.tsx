import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../controls/button.js';
import { Field, Input } from '../controls/field.js';
import { Dialog } from './dialog.js';
import styles from './dialog.module.css';
import { FailureNotice } from './failure-notice.js';

interface ConfirmDialogProps {
  title: string;
  /** What happens, and if it can be undone. */
  children: ComponentChildren;
  /** A verb, such as "Delete 12 memories". */
  confirmLabel: string;
  /** What must be typed before the button works, such as a count or a name. */
  typed?: string;
  /** The dialog stays open until this ends, and shows its failure. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something that is hard to undo. */
export function ConfirmDialog({ title, children, confirmLabel, typed, onConfirm, onClose }: ConfirmDialogProps) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const isReady = typed === undefined || text === typed;

  const confirm = async (event: Event) => {
    event.preventDefault();
    if (!isReady || busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };

  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm} class={styles.form}>
        <div>{children}</div>
        {typed !== undefined && (
          <Field label={`Type “${typed}” to confirm`}>
            {(control) => (
              <Input {...control} autofocus value={text} onInput={(event) => setText(event.currentTarget.value)} />
            )}
          </Field>
        )}
        {failure !== undefined && <FailureNotice error={failure} />}
        <div class={styles.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={!isReady} busy={busy}>
            {confirmLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
