import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../kit/controls/button.js';
import { Dialog } from '../../kit/feedback/dialog.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import styles from './integrations.module.css';

interface FormDialogProps {
  title: string;
  submitLabel: string;
  /** False while a required choice is missing. */
  isReady?: boolean;
  /** The dialog stays open until this ends, and shows its failure. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A form in a dialog. */
export function FormDialog({ title, submitLabel, isReady = true, onSubmit, onClose, children }: FormDialogProps) {
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
  return (
    <Dialog title={title} onClose={onClose}>
      <form class={styles.form} onSubmit={submit}>
        {children}
        {failure !== undefined && <FailureNotice error={failure} />}
        <div class={styles.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isReady} busy={busy}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface EventChoiceProps<Event extends string> {
  events: readonly Event[];
  chosen: readonly Event[];
  onChange: (chosen: Event[]) => void;
}

/** Lets people choose at least one of several events. */
export function EventChoice<Event extends string>({ events, chosen, onChange }: EventChoiceProps<Event>) {
  return (
    <fieldset class={styles.choice}>
      <legend>Events</legend>
      {events.map((event) => (
        <label key={event} class={styles.option}>
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ currentTarget }) =>
              onChange(events.filter((one) => (one === event ? currentTarget.checked : chosen.includes(one))))
            }
          />
          <code>{event}</code>
        </label>
      ))}
      {chosen.length === 0 && <p class={styles.error}>Choose at least one event.</p>}
    </fieldset>
  );
}
