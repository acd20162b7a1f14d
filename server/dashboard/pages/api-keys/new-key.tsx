import type { ApiToken, CreatedToken } from '@memory-service/sdk';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keyOf, usePlace } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { CodeBlock, CopyField } from '../../kit/controls/copy.js';
import forms from '../../kit/controls/form.module.css';
import { Tabs } from '../../kit/controls/tabs.js';
import { Badge } from '../../kit/display/badge.js';
import { Card } from '../../kit/display/card.js';
import styles from './api-keys-page.module.css';
import { CLIENT_SETTINGS } from './client-settings.js';

/** Interval of looking for the first use. */
const LOOK_AGAIN_MS = 5_000;
/** The lowest id. With the time of a token it makes a cursor that the token follows. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface NewKeyProps {
  created: CreatedToken;
  onClose: () => void;
}

/** The secret of a new key, settings for clients, and whether a client has used it. */
export function NewKey({ created, onClose }: NewKeyProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [client, setClient] = useState('claude-code');
  const access = { url: location.origin, key: created.token };
  useEffect(() => panel.current?.focus(), []);
  return (
    <div ref={panel} tabIndex={-1} class={styles.panel}>
      <Card title="Your new key" aside={<FirstUse token={created} />}>
        <div class={forms.form}>
          <CopyField label={created.name} value={created.token} once />
          <Tabs
            label="Settings for clients"
            selected={client}
            onSelect={setClient}
            tabs={CLIENT_SETTINGS.map(({ id, title, note, blocks }) => ({
              key: id,
              title,
              content: () => (
                <div class={styles.blocks}>
                  {note !== undefined && <p class={styles.muted}>{note}</p>}
                  {blocks(access).map(({ label, code }) => (
                    <CodeBlock key={label} label={label} code={code} />
                  ))}
                </div>
              ),
            }))}
          />
          <div>
            <Button onClick={onClose}>Done</Button>
          </div>
        </div>
      </Card>
    </div>
  );
}

/** Reads the key again until a client has used it. Only while the panel is open. */
function FirstUse({ token: { id, createdAt } }: { token: ApiToken }) {
  const { client, organization } = usePlace();
  const queries = useQueryClient();
  const use = useQuery({
    queryKey: keyOf(organization.id, 'first-use', id),
    queryFn: async ({ signal }) => {
      const { tokens } = await client.tokens.list({ cursor: `${createdAt}|${FIRST_ID}` }, { signal });
      return tokens.find((token) => token.id === id)?.lastUsedAt ?? null;
    },
    refetchInterval: ({ state }) => (state.data ? false : LOOK_AGAIN_MS),
  });
  const isUsed = Boolean(use.data);
  useEffect(() => {
    if (isUsed) void queries.invalidateQueries({ queryKey: keyOf(organization.id, 'tokens') });
  }, [isUsed]);
  return (
    <span role="status">
      {isUsed ? <Badge tone="success">In use</Badge> : <Badge tone="warning">Waiting for first use</Badge>}
    </span>
  );
}
