import type { PasswordResetRequest } from '@memory-service/sdk';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { clientOf } from '../../data/client.js';
import { ButtonLink } from '../../kit/controls/button.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { EmailField } from '../../kit/controls/credential-fields.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { BareForm } from '../../shell/bare-form.js';
import { BarePage } from '../../shell/bare-page.js';
import styles from './password-reset-page.module.css';

/** Asks for a mail with a link that sets a new password. */
export function PasswordResetPage() {
  const [email, setEmail] = useState('');
  const request = useMutation({
    meta: { signsIn: true },
    mutationFn: (asked: PasswordResetRequest) => clientOf().session.requestPasswordReset(asked),
  });
  return (
    <BarePage>
      <PageHeader title="Set a new password" />
      <div class={styles.page} role="status">
        {request.data?.sendsMail === true && (
          <p>
            If <bdi class={styles.strong}>{email}</bdi> belongs to an account, a mail with a link is on its way. The
            link works once, within 15 minutes.
          </p>
        )}
        {request.data?.sendsMail === false && <NoMail email={email} />}
      </div>
      {!request.data && (
        <BareForm action="Send a link" run={request} input={{ email }}>
          <EmailField value={email} onChange={setEmail} autofocus />
        </BareForm>
      )}
      <p class={styles.back}>
        <ButtonLink look="quiet" href="/sign-in">
          Back to sign-in
        </ButtonLink>
      </p>
    </BarePage>
  );
}

function NoMail({ email }: { email: string }) {
  return (
    <>
      <p>This service sends no mail. Ask its operator for a link, which this command prints beside the server:</p>
      <CodeBlock label="For the operator" code={`memory-server dashboard --email ${email}`} />
    </>
  );
}
