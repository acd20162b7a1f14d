import type { Acceptance } from '@memory-service/sdk';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { clientOf } from '../../data/client.js';
import { ButtonLink } from '../../kit/controls/button.js';
import { Field, Input } from '../../kit/controls/field.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { BareForm } from '../../shell/bare-form.js';
import { BarePage } from '../../shell/bare-page.js';

const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 256;

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
        <Field label="Your invited e-mail address">
          {(control) => (
            <Input
              {...control}
              type="email"
              name="email"
              autocomplete="username"
              required
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field
          label="Password"
          hint={`For a new account, choose one of at least ${MIN_PASSWORD_LENGTH} characters. Otherwise enter your current one.`}
        >
          {(control) => (
            <Input
              {...control}
              type="password"
              name="password"
              autocomplete="current-password"
              minLength={MIN_PASSWORD_LENGTH}
              maxLength={MAX_PASSWORD_LENGTH}
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
          )}
        </Field>
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
