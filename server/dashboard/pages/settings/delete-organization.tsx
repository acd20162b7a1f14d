import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePlace, useRead, useWrite } from '../../data/organization.js';
import { forgetAccount } from '../../data/query-client.js';
import { Button } from '../../kit/controls/button.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { numberText } from '../../kit/text/number-text.js';
import styles from './settings-page.module.css';

/** No memory is older; see the totals of the overview. */
const BEGINNING = '1990-01-01T00:00:00Z';

/** Deletes the organization after its name is typed, and goes to another one of the user, if there is one. */
export function DeleteOrganization() {
  const { organization } = usePlace();
  const { route } = useLocation();
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const remove = useWrite((client, name: string) => client.organization.delete({ name }), { subjects: [] });
  const confirm = async () => {
    await remove.mutateAsync(organization.name);
    forgetAccount(queries);
    route('/', true);
  };
  return (
    <div>
      <Button look="danger" onClick={() => setAsks(true)}>
        Delete…
      </Button>
      {asks && (
        <ConfirmDialog
          title="Delete the organization"
          confirmLabel="Delete everything"
          typed={organization.name.trim()}
          onConfirm={confirm}
          onClose={() => setAsks(false)}
        >
          <Losses name={organization.name} />
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Lists what is removed, before the confirmation. */
function Losses({ name }: { name: string }) {
  const memories = useRead(['memories', 'all'], (client, options) =>
    client.browse.count({ interval: 'month', since: BEGINNING, includeDeleted: true }, options),
  );
  return (
    <div class={styles.losses}>
      <p>
        <bdi class={styles.strong}>{name}</bdi> is removed for good, for all its members:
      </p>
      <ul>
        <li>
          {memories.data ? countOf(memories.data.meta.count) : 'all memories'}, deleted ones included, with their
          versions
        </li>
        <li>all API keys, so every client stops at once</li>
        <li>all memberships and invitations; people keep their accounts</li>
        <li>all webhooks with their deliveries</li>
        <li>the audit log, the usage and the settings</li>
      </ul>
      <p>It cannot be restored. Backups and exports that exist already keep their contents.</p>
    </div>
  );
}

function countOf(memories: number): string {
  return memories === 1 ? '1 memory' : `${numberText(memories)} memories`;
}
