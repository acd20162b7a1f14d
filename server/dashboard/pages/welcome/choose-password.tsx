import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { clientOf } from '../../data/client.js';
import { Button } from '../../kit/controls/button.js';
import { Field, Input } from '../../kit/controls/field.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { BareForm } from '../../shell/bare-form.js';
import styles from './welcome-page.module.css';

/** Bounds of a password in openapi.yaml. */
const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

interface ChoosePasswordProps {
  email: string;
  onDone: () => void;
}

/** Sets the password of somebody who has just signed in by a link. */
export function ChoosePassword({ email, onDone }: ChoosePasswordProps) {
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => clientOf().session.changePassword({ newPassword: password }),
    onSuccess: onDone,
  });
  return (
    <div class={styles.page}>
      <PageHeader title="Choose a password" description="You sign in with it from now on, here and on other devices." />
      <BareForm action="Set password" run={change}>
        <input type="email" name="email" autocomplete="username" value={email} readOnly hidden />
        <Field label="New password" hint={`At least ${MIN_LENGTH} characters.`}>
          {(control) => (
            <Input
              {...control}
              type="password"
              name="password"
              autocomplete="new-password"
              required
              minLength={MIN_LENGTH}
              maxLength={MAX_LENGTH}
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
          )}
        </Field>
      </BareForm>
      <Button look="quiet" onClick={onDone}>
        Not now
      </Button>
    </div>
  );
}
