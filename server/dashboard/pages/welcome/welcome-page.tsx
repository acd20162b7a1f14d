import type { SignInLinkPreview } from '@memory-service/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { clientOf } from '../../data/client.js';
import { forgetAccount } from '../../data/query-client.js';
import { Button, ButtonLink } from '../../kit/controls/button.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { Time } from '../../kit/display/time.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { BarePage } from '../../shell/bare-page.js';
import { ChoosePassword } from './choose-password.js';
import styles from './welcome-page.module.css';

/** Signs in with the code in the fragment of the address. It asks first, and says whom the code signs in. */
export function WelcomePage() {
  const [code, setCode] = useState(takeCode);
  useEffect(() => {
    const onHashChange = () => setCode(takeCode());
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  return <BarePage>{code === '' ? <NoCode /> : <Link key={code} code={code} />}</BarePage>;
}

/** Returns the code, and removes it from the address and so from the history. */
function takeCode(): string {
  const code = location.hash.slice(1);
  if (code !== '') history.replaceState(null, '', location.pathname);
  return code;
}

function NoCode() {
  return (
    <>
      <PageHeader title="Welcome" description="Open the whole link again, or sign in with your password." />
      <ButtonLink href="/sign-in">Sign in</ButtonLink>
    </>
  );
}

function Link({ code }: { code: string }) {
  const { route } = useLocation();
  const queries = useQueryClient();
  const [choosesPassword, setChoosesPassword] = useState(false);
  const preview = useQuery({
    queryKey: ['sign-in-link', code],
    queryFn: ({ signal }) => clientOf().session.previewLink({ code }, { signal }),
    gcTime: 0,
  });
  const finish = () => {
    forgetAccount(queries);
    route('/', true);
  };
  const redeem = useMutation({
    meta: { signsIn: true },
    mutationFn: () => clientOf().session.redeemLink({ code }),
    onSuccess: finish,
  });

  if (choosesPassword && preview.data) {
    const { email } = preview.data;
    return <ChoosePassword code={code} email={email} onDone={finish} onBack={() => setChoosesPassword(false)} />;
  }
  return (
    <>
      <PageHeader title="Welcome" />
      <DataState query={preview}>
        {(link) => (
          <div class={styles.page}>
            <Whom link={link} />
            {redeem.error && <FailureNotice error={redeem.error} />}
            <Button look="primary" busy={redeem.isPending} onClick={() => redeem.mutate()}>
              Sign in
            </Button>
            {link.setsPassword && <Button onClick={() => setChoosesPassword(true)}>Set a password</Button>}
          </div>
        )}
      </DataState>
    </>
  );
}

function Whom({ link: { email, organizations, expiresAt } }: { link: SignInLinkPreview }) {
  return (
    <>
      <dl class={styles.whom}>
        <dt>Account</dt>
        <dd>
          <bdi>{email}</bdi>
        </dd>
        <dt>{organizations.length === 1 ? 'Organization' : 'Organizations'}</dt>
        <dd>
          {organizations.map(({ id, name }) => (
            <p key={id}>
              <bdi>{name}</bdi>
            </p>
          ))}
        </dd>
      </dl>
      <p class={styles.note}>
        The link works once, and expires <Time value={expiresAt} />.
      </p>
    </>
  );
}
