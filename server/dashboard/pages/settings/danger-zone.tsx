import type { OrganizationSettings } from '@memory-service/sdk';
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePlace, useWrite } from '../../data/organization.js';
import { forgetAccount } from '../../data/query-client.js';
import { Button } from '../../kit/controls/button.js';
import { Card } from '../../kit/display/card.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DeleteOrganization } from './delete-organization.js';
import { EraseSubject } from './erase-subject.js';
import styles from './settings-page.module.css';

interface DangerZoneProps {
  /** Undefined until it is read. */
  subjectKeyType: OrganizationSettings['subjectKeyType'] | undefined;
}

/** Shows the actions that cannot be undone. */
export function DangerZone({ subjectKeyType }: DangerZoneProps) {
  const { can } = usePlace();
  return (
    <Card title="Danger zone">
      <div class={styles.dangers}>
        {can('eraseSubject') && (
          <Danger
            title="Erase a subject"
            text="Removes everything about one subject: its memories, deleted ones too, with their versions and deliveries."
          >
            <EraseSubject type={subjectKeyType ?? null} />
          </Danger>
        )}
        {can('removeMember') && (
          <Danger
            title="Leave the organization"
            text="Your keys here stop working at once. The memories that you stored stay."
          >
            <Leave />
          </Danger>
        )}
        {can('deleteOrganization') && (
          <Danger
            title="Delete the organization"
            text="Removes the organization with its memories, keys, members, webhooks and audit log, for everybody."
          >
            <DeleteOrganization />
          </Danger>
        )}
      </div>
    </Card>
  );
}

function Danger({ title, text, children }: { title: string; text: string; children: ComponentChildren }) {
  return (
    <div class={styles.danger}>
      <div>
        <h3>{title}</h3>
        <p class={styles.note}>{text}</p>
      </div>
      {children}
    </div>
  );
}

function Leave() {
  const { organization, session } = usePlace();
  const { route } = useLocation();
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const leave = useWrite((client) => client.members.remove(session.user.id), { subjects: [] });
  const confirm = async () => {
    await leave.mutateAsync(undefined);
    forgetAccount(queries);
    route('/', true);
  };
  return (
    <div>
      <Button look="danger" onClick={() => setAsks(true)}>
        Leave…
      </Button>
      {asks && (
        <ConfirmDialog
          title="Leave the organization"
          confirmLabel="Leave"
          typed={organization.name}
          onConfirm={confirm}
          onClose={() => setAsks(false)}
        >
          You leave <bdi class={styles.strong}>{organization.name}</bdi>. Only a new invitation of an owner brings you
          back, and it does not restore your keys.
        </ConfirmDialog>
      )}
    </div>
  );
}
