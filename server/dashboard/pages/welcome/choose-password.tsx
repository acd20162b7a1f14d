import type { PasswordReset } from '@memory-service/sdk';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { clientOf } from '../../data/client.js';
import { Button } from '../../kit/controls/button.js';
import { MIN_PASSWORD_LENGTH, PasswordField } from '../../kit/controls/credential-fields.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { BareForm } from '../../shell/bare-form.js';
import styles from './welcome-page.module.css';

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
        <PasswordField
          label="New password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
          value={password}
          onChange={setPassword}
          required
          isNew
        />
      </BareForm>
      <Button look="quiet" onClick={onBack}>
        Back
      </Button>
    </div>
  );
}
