import type { PasswordChange } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useWrite } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { MIN_PASSWORD_LENGTH, PasswordField } from '../../kit/controls/credential-fields.js';
import forms from '../../kit/controls/form.module.css';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';

/** Sets or changes the password. It ends the other sessions. */
export function Password({ email }: { email: string }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const toast = useToast();
  const change = useWrite((client, passwords: PasswordChange) => client.session.changePassword(passwords), {
    subjects: ['sessions'],
    onDone: () => {
      setCurrent('');
      setNext('');
      toast({ text: 'The password is set, and your other sessions have ended' });
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (change.isPending) return;
    change.mutate({ newPassword: next, ...(current !== '' && { currentPassword: current }) });
  };
  return (
    <form class={forms.form} onSubmit={submit}>
      <input type="email" name="email" autocomplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        hint="Leave it empty if you have none yet."
        value={current}
        onChange={setCurrent}
      />
      <PasswordField
        label="New password"
        hint={`At least ${MIN_PASSWORD_LENGTH} characters. Your other sessions end.`}
        value={next}
        onChange={setNext}
        required
        isNew
      />
      {change.error && <FailureNotice error={change.error} />}
      <div>
        <Button type="submit" look="primary" busy={change.isPending}>
          Set password
        </Button>
      </div>
    </form>
  );
}
