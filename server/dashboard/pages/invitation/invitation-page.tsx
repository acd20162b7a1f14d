import type { Acceptance } from '@memory-service/sdk';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { clientOf } from '../../data/client.js';
import { ButtonLink } from '../../kit/controls/button.js';
import { EmailField, MIN_PASSWORD_LENGTH, PasswordField } from '../../kit/controls/credential-fields.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { BareForm } from '../../shell/bare-form.js';
import { BarePage } from '../../shell/bare-page.js';

/** Makes the invitee a member. The token of the invitation is in the address. */
export function InvitationPage() {
  const { params } = useRoute();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const accept = useMutation({
    meta: { signsIn: true },
    mutationFn: (acceptance: Acceptance) => clientOf().invitations.accept(acceptance),
  });
  if (accept.data) return <Accepted name={accept.data.organization.name} />;
  return (
    <BarePage>
      <PageHeader title="Accept an invitation" />
      <BareForm
        action="Accept"
        run={accept}
        input={{ token: params.token ?? '', email, ...(password !== '' && { password }) }}
      >
        <EmailField label="Your invited e-mail address" value={email} onChange={setEmail} />
        <PasswordField
          hint={`For a new account, choose one of at least ${MIN_PASSWORD_LENGTH} characters. Otherwise enter your current one.`}
          value={password}
          onChange={setPassword}
        />
      </BareForm>
    </BarePage>
  );
}

function Accepted({ name }: { name: string }) {
  return (
    <BarePage>
      <PageHeader
        title="Welcome"
        description={
          <>
            You are a member of <bdi>{name}</bdi> now.
          </>
        }
      />
      <ButtonLink look="primary" href="/sign-in">
        Sign in
      </ButtonLink>
    </BarePage>
  );
}
