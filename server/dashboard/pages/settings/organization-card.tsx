import type { OrganizationName } from '@memory-service/sdk';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { usePlace, useRead, useWrite } from '../../data/organization.js';
import { NAME_BOUNDS } from '../../data/organization-name.js';
import { SESSION } from '../../data/query-client.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { Field, Input } from '../../kit/controls/field.js';
import { Card } from '../../kit/display/card.js';
import { Time } from '../../kit/display/time.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';
import { CreateOrganizationDialog } from './create-organization-dialog.js';
import styles from './settings-page.module.css';

/** The name of the organization, and the way to another one. */
export function OrganizationCard() {
  const { can, organization } = usePlace();
  const queries = useQueryClient();
  const toast = useToast();
  const [name, setName] = useState(organization.name);
  const [dialog, setDialog] = useQueryParam('dialog');
  const stored = useRead(['organization'], (client, options) => client.organization.get(options));
  const rename = useWrite((client, change: OrganizationName) => client.organization.update(change), {
    subjects: ['organization'],
    onDone: (renamed) => {
      setName(renamed.name);
      toast({ text: 'The organization has its new name' });
      // The header shows the name that the session lists.
      void queries.invalidateQueries({ queryKey: [SESSION] });
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!rename.isPending) rename.mutate({ name });
  };
  return (
    <Card title="Organization">
      <div class={styles.form}>
        <form class={styles.row} onSubmit={submit}>
          <Field label="Name">
            {(control) => (
              <Input
                {...control}
                {...NAME_BOUNDS}
                disabled={!can('updateOrganization')}
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            )}
          </Field>
          {can('updateOrganization') && (
            <Button type="submit" busy={rename.isPending} disabled={name.trim() === organization.name}>
              Rename
            </Button>
          )}
        </form>
        {rename.error && <FailureNotice error={rename.error} />}
        <dl class={styles.facts}>
          <dt>Id</dt>
          <dd>
            <code>{organization.id}</code>
          </dd>
          {stored.data && (
            <>
              <dt>Created</dt>
              <dd>
                <Time value={stored.data.createdAt} absolute />
              </dd>
            </>
          )}
        </dl>
        {can('createOrganization') && (
          <div>
            <Button onClick={() => setDialog('create', { push: true })}>Create another organization</Button>
          </div>
        )}
      </div>
      {dialog === 'create' && can('createOrganization') && <CreateOrganizationDialog onClose={() => setDialog('')} />}
    </Card>
  );
}
