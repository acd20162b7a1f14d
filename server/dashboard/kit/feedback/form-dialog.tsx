import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../controls/button.js';
import forms from '../controls/form.module.css';
import { Dialog } from './dialog.js';
import { FailureNotice } from './failure-notice.js';

interface FormDialogProps {
  title: string;
  /** A verb, such as "Create". */
  submitLabel: string;
  look?: 'primary' | 'danger';
  /** False while something required is missing. */
  isReady?: boolean;
  /** The dialog is busy until this ends, and shows its failure. Whoever shows the dialog closes it. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A form in a dialog. */
export function FormDialog(props: FormDialogProps) {
  const { title, submitLabel, look = 'primary', isReady = true, onSubmit, onClose, children } = props;
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || !isReady) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onSubmit();
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form={id} look={look} disabled={!isReady} busy={busy}>
        {submitLabel}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={buttons}>
      <form id={id} class={forms.form} onSubmit={submit}>
        {children}
        {failure !== undefined && <FailureNotice error={failure} />}
      </form>
    </Dialog>
  );
}
