import type { OrganizationName } from '@memory-service/sdk';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useWrite } from '../../data/organization.js';
import { NAME_BOUNDS } from '../../data/organization-name.js';
import { SESSION } from '../../data/query-client.js';
import { Field, Input } from '../../kit/controls/field.js';
import { FormDialog } from '../../kit/feedback/form-dialog.js';

/** Creates an organization, and goes there. */
export function CreateOrganizationDialog({ onClose }: { onClose: () => void }) {
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
  return (
    <FormDialog
      title="Create an organization"
      submitLabel="Create"
      onSubmit={() => create.mutateAsync({ name })}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
