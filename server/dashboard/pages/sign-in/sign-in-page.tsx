import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { clientOf } from '../../data/client.js';
import { forgetAccount } from '../../data/query-client.js';
import { pageAfterSignIn } from '../../data/sign-in-address.js';
import { Button } from '../../kit/controls/button.js';
import { Field, Input } from '../../kit/controls/field.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { BarePage } from '../../shell/bare-page.js';
import styles from './sign-in-page.module.css';

export function SignInPage() {
  const { query, route } = useLocation();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    meta: { signsIn: true },
    mutationFn: () => clientOf().session.signIn({ email, password }),
    onSuccess: () => {
      forgetAccount(queries);
      route(pageAfterSignIn(query.next, location.origin), true);
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!signIn.isPending) signIn.mutate();
  };
  return (
    <BarePage>
      <PageHeader title="Sign in" />
      <form class={styles.form} onSubmit={submit}>
        <Field label="E-mail address">
          {(control) => (
            <Input
              {...control}
              type="email"
              name="email"
              autocomplete="username"
              required
              autofocus
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Password">
          {(control) => (
            <Input
              {...control}
              type="password"
              name="password"
              autocomplete="current-password"
              required
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
          )}
        </Field>
        {signIn.error && <FailureNotice error={signIn.error} />}
        <Button type="submit" look="primary" busy={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </BarePage>
  );
}
