import type { Invitation } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useList } from '../../data/lists.js';
import { usePlace, useWrite } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { type Column, Table } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import { useToast } from '../../kit/feedback/toast.js';
import { roleLabel } from './roles.js';
import styles from './team-page.module.css';

/** The open invitations. */
export function Invitations() {
  const { can } = usePlace();
  const [revoking, setRevoking] = useState<Invitation>();
  const toast = useToast();
  const invitations = useList(
    ['invitations'],
    (client, position, options) => client.invitations.list(position, options),
    (page) => page.invitations,
  );
  const revoke = useWrite((client, { id }: Invitation) => client.invitations.revoke(id), {
    subjects: ['invitations'],
    onDone: (_, { email }) => toast({ text: `The invitation of ${email} is revoked` }),
  });
  const columns: Column<Invitation>[] = [
    { title: 'Invited', cell: ({ email }) => <bdi class={styles.wrap}>{email}</bdi> },
    { title: 'Role', cell: ({ role }) => roleLabel(role) },
    { title: 'Expires', wideOnly: true, cell: ({ expiresAt }) => <Time value={expiresAt} /> },
    {
      title: 'Action',
      align: 'end',
      cell: (invitation) =>
        can('revokeInvitation') && (
          <Button look="quiet" onClick={() => setRevoking(invitation)}>
            Revoke
            <span class="visually-hidden"> the invitation of {invitation.email}</span>
          </Button>
        ),
    },
  ];
  return (
    <div class={styles.section}>
      <h2>Open invitations</h2>
      <DataState
        query={invitations}
        lines={2}
        empty={{
          when: (rows) => rows.length === 0,
          show: <p class={styles.muted}>Nobody is invited at present.</p>,
        }}
      >
        {(rows) => (
          <div>
            <Table caption="Open invitations" columns={columns} rows={rows} keyOf={({ id }) => id} />
            <LoadMore
              shown={`${rows.length} open`}
              hasMore={invitations.hasNextPage}
              isLoading={invitations.isFetchingNextPage}
              onMore={() => void invitations.fetchNextPage()}
            />
          </div>
        )}
      </DataState>
      {revoking && (
        <ConfirmDialog
          title="Revoke an invitation"
          confirmLabel="Revoke"
          onConfirm={() => revoke.mutateAsync(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          The link that <bdi class={styles.strong}>{revoking.email}</bdi> got stops working.
        </ConfirmDialog>
      )}
    </div>
  );
}
