import type { PasswordChange } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useWrite } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { Field, Input } from '../../kit/controls/field.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';
import styles from './account-page.module.css';

/** Bounds of openapi.yaml. */
const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

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
    <form class={styles.form} onSubmit={submit}>
      <input type="email" name="email" autocomplete="username" value={email} readOnly hidden />
      <Field label="Current password" hint="Leave it empty if you have none yet.">
        {(control) => (
          <Input
            {...control}
            type="password"
            autocomplete="current-password"
            maxLength={MAX_LENGTH}
            value={current}
            onInput={(event) => setCurrent(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="New password" hint={`At least ${MIN_LENGTH} characters. Your other sessions end.`}>
        {(control) => (
          <Input
            {...control}
            type="password"
            autocomplete="new-password"
            required
            minLength={MIN_LENGTH}
            maxLength={MAX_LENGTH}
            value={next}
            onInput={(event) => setNext(event.currentTarget.value)}
          />
        )}
      </Field>
      {change.error && <FailureNotice error={change.error} />}
      <div>
        <Button type="submit" look="primary" busy={change.isPending}>
          Set password
        </Button>
      </div>
    </form>
  );
}
