import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Field, Input } from '../controls/field.js';
import { FormDialog } from './form-dialog.js';

interface ConfirmDialogProps {
  title: string;
  /** Says what happens, and if it can be undone. */
  children: ComponentChildren;
  /** A verb, such as "Delete 12 memories". */
  confirmLabel: string;
  /** The text to type before the button works, such as a count or a name. */
  typed?: string;
  /** The dialog stays open until this ends, and shows its failure. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something that is hard to undo. */
export function ConfirmDialog({ title, children, confirmLabel, typed, onConfirm, onClose }: ConfirmDialogProps) {
  const [text, setText] = useState('');
  const confirm = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <FormDialog
      title={title}
      submitLabel={confirmLabel}
      look="danger"
      isReady={typed === undefined || text === typed}
      onSubmit={confirm}
      onClose={onClose}
    >
      <div>{children}</div>
      {typed !== undefined && (
        <Field label={`Type “${typed}” to confirm`}>
          {(control) => (
            <Input {...control} autofocus value={text} onInput={(event) => setText(event.currentTarget.value)} />
          )}
        </Field>
      )}
    </FormDialog>
  );
}
