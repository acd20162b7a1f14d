import type { ComponentChildren } from 'preact';
import { Button } from '../kit/controls/button.js';
import { FailureNotice } from '../kit/feedback/failure-notice.js';
import styles from './bare-form.module.css';

interface BareFormProps {
  /** What the button does. */
  action: string;
  run: { mutate: () => void; isPending: boolean; error: unknown };
  children: ComponentChildren;
}

/** A form with one button, for pages outside of an organization. */
export function BareForm({ action, run, children }: BareFormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    if (!run.isPending) run.mutate();
  };
  return (
    <form class={styles.form} onSubmit={submit}>
      {children}
      {Boolean(run.error) && <FailureNotice error={run.error} />}
      <Button type="submit" look="primary" busy={run.isPending}>
        {action}
      </Button>
    </form>
  );
}
