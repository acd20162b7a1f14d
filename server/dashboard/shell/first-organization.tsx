import type { OrganizationName } from '@memory-service/sdk';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { clientOf } from '../data/client.js';
import { NAME_BOUNDS } from '../data/organization-name.js';
import { SESSION } from '../data/query-client.js';
import { Button } from '../kit/controls/button.js';
import { Field, Input } from '../kit/controls/field.js';
import { PageHeader } from '../kit/display/page-header.js';
import { BareForm } from './bare-form.js';
import styles from './first-organization.module.css';
import { useSignOut } from './sign-out.js';

/** Shown to a user who belongs to no organization, and lets them create one. */
export function FirstOrganization() {
  const { route } = useLocation();
  const queries = useQueryClient();
  const signOut = useSignOut();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: (organization: OrganizationName) => clientOf().organization.create(organization),
    onSuccess: ({ id }) => {
      queries.removeQueries({ queryKey: [SESSION] });
      route(`/o/${id}/overview`, true);
    },
  });
  return (
    <div class={styles.page}>
      <PageHeader
        title="No organization"
        description="You belong to no organization. Create one, or ask an owner to invite you."
      />
      <BareForm action="Create" run={create} input={{ name }}>
        <Field label="Name of the new organization">
          {(control) => (
            <Input {...control} {...NAME_BOUNDS} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          )}
        </Field>
      </BareForm>
      <Button onClick={() => signOut.mutate()}>Sign out</Button>
    </div>
  );
}
