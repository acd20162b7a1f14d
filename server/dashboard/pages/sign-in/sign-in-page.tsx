import type { SignInRequest } from '@memory-service/sdk';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { clientOf } from '../../data/client.js';
import { forgetAccount } from '../../data/query-client.js';
import { pageAfterSignIn } from '../../data/sign-in-address.js';
import { EmailField, PasswordField } from '../../kit/controls/credential-fields.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { BareForm } from '../../shell/bare-form.js';
import { BarePage } from '../../shell/bare-page.js';
import styles from './sign-in-page.module.css';

export function SignInPage() {
  const { query, route } = useLocation();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    meta: { signsIn: true },
    mutationFn: (request: SignInRequest) => clientOf().session.signIn(request),
    onSuccess: () => {
      forgetAccount(queries);
      route(pageAfterSignIn(query.next, location.origin), true);
    },
  });
  return (
    <BarePage>
      <PageHeader title="Sign in" />
      <BareForm action="Sign in" run={signIn} input={{ email, password }}>
        <EmailField value={email} onChange={setEmail} autofocus />
        <PasswordField value={password} onChange={setPassword} required />
      </BareForm>
      <p class={styles.forgotten}>
        <a href="/password-reset">Forgot your password?</a>
      </p>
    </BarePage>
  );
}
