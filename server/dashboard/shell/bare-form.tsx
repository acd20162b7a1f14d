import type { ComponentChildren } from 'preact';
import { Button } from '../kit/controls/button.js';
import forms from '../kit/controls/form.module.css';
import { FailureNotice } from '../kit/feedback/failure-notice.js';

interface BareFormProps<Input> {
  /** The text of the button. */
  action: string;
  run: { mutate: (input: Input) => void; isPending: boolean; error: unknown };
  /** The present values. A mutation itself would still see those of the last drawn frame. */
  input: Input;
  children: ComponentChildren;
}

/** A form with one button, for pages outside of an organization. */
export function BareForm<Input>({ action, run, input, children }: BareFormProps<Input>) {
  const submit = (event: Event) => {
    event.preventDefault();
    if (!run.isPending) run.mutate(input);
  };
  return (
    <form class={forms.form} onSubmit={submit}>
      {children}
      {Boolean(run.error) && <FailureNotice error={run.error} />}
      <Button type="submit" look="primary" busy={run.isPending}>
        {action}
      </Button>
    </form>
  );
}
