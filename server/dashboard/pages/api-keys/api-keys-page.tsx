import type { ApiToken, CreatedToken } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useList } from '../../data/lists.js';
import { usePlace, useWrite } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { Checkbox } from '../../kit/controls/field.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import { useToast } from '../../kit/feedback/toast.js';
import styles from './api-keys-page.module.css';
import { CreateKeyDialog } from './create-key-dialog.js';
import { KeyTable } from './key-table.js';
import { NewKey } from './new-key.js';

/** The access tokens of programs and agents. */
export function ApiKeysPage() {
  const { can, session } = usePlace();
  const [revoked, setRevoked] = useQueryParam('revoked');
  const [dialog, setDialog] = useQueryParam('dialog');
  const [created, setCreated] = useState<CreatedToken>();
  const [revoking, setRevoking] = useState<ApiToken>();
  const toast = useToast();
  const includeRevoked = revoked === 'true';
  const tokens = useList(
    ['tokens', { includeRevoked }],
    (client, position, options) => client.tokens.list({ ...position, includeRevoked }, options),
    (page) => page.tokens,
  );
  const revoke = useWrite((client, token: ApiToken) => client.tokens.revoke(token.id), {
    subjects: ['tokens'],
    onDone: (_, { id, name }) => {
      toast({ text: `“${name}” is revoked` });
      if (id === created?.id) setCreated(undefined);
    },
  });
  const create = can('createToken') && (
    <Button look="primary" onClick={() => setDialog('create', { push: true })}>
      Create a key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description="A key is an access token for a program or an agent. It acts for the person who created it, in this organization only."
        actions={create}
      />
      <div class={styles.page}>
        {created && <NewKey key={created.id} created={created} onClose={() => setCreated(undefined)} />}
        <Checkbox
          label="Show revoked keys"
          checked={includeRevoked}
          onChange={(event) => setRevoked(event.currentTarget.checked ? 'true' : '')}
        />
        <DataState
          query={tokens}
          empty={{
            when: (rows) => rows.length === 0,
            show: (
              <EmptyState title="There is no key yet" action={create}>
                <p>Create one, and copy the settings for your client.</p>
              </EmptyState>
            ),
          }}
        >
          {(rows) => (
            <div>
              <KeyTable rows={rows} userId={session.user.id} onRevoke={can('revokeToken') ? setRevoking : undefined} />
              <LoadMore
                shown={`${rows.length} ${rows.length === 1 ? 'key' : 'keys'}`}
                hasMore={tokens.hasNextPage}
                isLoading={tokens.isFetchingNextPage}
                onMore={() => void tokens.fetchNextPage()}
              />
            </div>
          )}
        </DataState>
      </div>
      {dialog === 'create' && can('createToken') && (
        <CreateKeyDialog
          onCreated={(token) => {
            setCreated(token);
            setDialog('');
          }}
          onClose={() => setDialog('')}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title="Revoke a key"
          confirmLabel="Revoke"
          onConfirm={() => revoke.mutateAsync(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          Requests with <bdi class={styles.strong}>{revoking.name}</bdi> are rejected from now on. This cannot be
          undone.
        </ConfirmDialog>
      )}
    </>
  );
}
