import type { OrganizationName } from '@memory-service/sdk';
import { useQueryClient } from '@tanstack/preact-query';
import { useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useWrite } from '../../data/organization.js';
import { NAME_BOUNDS } from '../../data/organization-name.js';
import { SESSION } from '../../data/query-client.js';
import { Button } from '../../kit/controls/button.js';
import { Field, Input } from '../../kit/controls/field.js';
import { Dialog } from '../../kit/feedback/dialog.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import styles from './settings-page.module.css';

/** Creates an organization, and goes there. */
export function CreateOrganizationDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const { route } = useLocation();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const create = useWrite((client, organization: OrganizationName) => client.organization.create(organization), {
    subjects: [],
    onDone: (created) => {
      // The menu of organizations lists those of the session.
      void queries.invalidateQueries({ queryKey: [SESSION] });
      route(`/o/${created.id}/overview`);
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!create.isPending) create.mutate({ name });
  };
  return (
    <Dialog
      title="Create an organization"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" busy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <form id={id} class={styles.form} onSubmit={submit}>
        <Field
          label="Name"
          hint="You become its owner. It has its own memories, members, keys and settings, and starts empty."
        >
          {(control) => (
            <Input
              {...control}
              {...NAME_BOUNDS}
              autofocus
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        {create.error && <FailureNotice error={create.error} />}
      </form>
    </Dialog>
  );
}
