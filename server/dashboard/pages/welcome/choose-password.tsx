import type { PasswordReset } from '@memory-service/sdk';
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
  /** The code of a link that may set a password. */
  code: string;
  email: string;
  onDone: () => void;
  onBack: () => void;
}

/** Sets a new password with a link, which also signs in. A forgotten password is not needed. */
export function ChoosePassword({ code, email, onDone, onBack }: ChoosePasswordProps) {
  const [password, setPassword] = useState('');
  const change = useMutation({
    meta: { signsIn: true },
    mutationFn: (reset: PasswordReset) => clientOf().session.resetPassword(reset),
    onSuccess: onDone,
  });
  return (
    <div class={styles.page}>
      <PageHeader title="Set a password" description="You sign in with it from now on. Your sessions elsewhere end." />
      <BareForm action="Set password and sign in" run={change} input={{ code, newPassword: password }}>
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
      <Button look="quiet" onClick={onBack}>
        Back
      </Button>
    </div>
  );
}
