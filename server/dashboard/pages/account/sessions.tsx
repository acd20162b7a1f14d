import type { Session } from '@memory-service/sdk';
import { useList } from '../../data/lists.js';
import { usePlace, useWrite } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import forms from '../../kit/controls/form.module.css';
import { Badge } from '../../kit/display/badge.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { type Column, Table } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import { useToast } from '../../kit/feedback/toast.js';
import styles from './account-page.module.css';
import { deviceOf } from './device.js';

/** The sessions of the user. All but the one of this page can be ended here. */
export function Sessions() {
  const { can } = usePlace();
  const toast = useToast();
  const sessions = useList(
    ['sessions'],
    (client, position, options) => client.session.list(position, options),
    (page) => page.sessions,
  );
  const end = useWrite((client, { id }: Session) => client.session.revoke(id), {
    subjects: ['sessions'],
    onDone: () => toast({ text: 'The session has ended' }),
  });
  const columns: Column<Session>[] = [
    { title: 'Device', cell: ({ userAgent, ip }) => <Device userAgent={userAgent} ip={ip} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => <Time value={lastUsedAt} /> },
    { title: 'Signed in', wideOnly: true, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { title: 'Ends', wideOnly: true, cell: ({ expiresAt }) => <Time value={expiresAt} /> },
    {
      title: 'Action',
      align: 'end',
      cell: (session) =>
        session.current ? (
          <Badge tone="accent">Current</Badge>
        ) : (
          can('revokeSession') && (
            <Button
              look="quiet"
              busy={end.isPending && end.variables.id === session.id}
              onClick={() => end.mutate(session)}
            >
              End
              <span class="visually-hidden"> the session of {deviceOf(session.userAgent)}</span>
            </Button>
          )
        ),
    },
  ];
  return (
    <div class={forms.form}>
      <p class={styles.muted}>End a session that you do not know, and then set a new password.</p>
      {end.error && <FailureNotice error={end.error} />}
      <DataState query={sessions} lines={2}>
        {(rows) => (
          <div>
            <Table caption="Sessions" columns={columns} rows={rows} keyOf={({ id }) => id} />
            {sessions.hasNextPage && (
              <LoadMore
                shown={`${rows.length} sessions`}
                hasMore
                isLoading={sessions.isFetchingNextPage}
                onMore={() => void sessions.fetchNextPage()}
              />
            )}
          </div>
        )}
      </DataState>
    </div>
  );
}

function Device({ userAgent, ip }: Pick<Session, 'userAgent' | 'ip'>) {
  return (
    <div class={styles.device}>
      <MemoryText text={deviceOf(userAgent)} />
      {ip !== undefined && <div class={styles.muted}>{ip}</div>}
    </div>
  );
}
