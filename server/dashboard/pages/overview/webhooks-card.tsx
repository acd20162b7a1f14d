import type { MemoryClient } from '@memory-service/sdk';
import { usePlace, useRead } from '../../data/organization.js';
import { Badge } from '../../kit/display/badge.js';
import { Card } from '../../kit/display/card.js';
import { DataState } from '../../kit/feedback/data-state.js';
import styles from './overview-page.module.css';

const DAY_MS = 86_400_000;
/** More failures of one webhook are not counted. */
const MAX_FAILURES = 50;

interface Trouble {
  path: string;
  name: string;
  text: string;
}

/** Webhooks with failed deliveries or refused requests of the last day. */
export function WebhooksCard() {
  const { href } = usePlace();
  const webhooks = useRead(['outbound-webhooks', 'troubles'], readTroubles);
  return (
    <Card title="Webhooks" aside={<a href={href('/integrations')}>Integrations</a>}>
      <DataState
        query={webhooks}
        empty={{ when: ({ count }) => count === 0, show: <p class={styles.muted}>There are no webhooks.</p> }}
      >
        {({ troubles }) =>
          troubles.length === 0 ? (
            <p class={styles.value}>
              Nothing failed in the last 24 hours. <Badge tone="success">Working</Badge>
            </p>
          ) : (
            <ul class={styles.values}>
              {troubles.map(({ path, name, text }) => (
                <li key={path} class={styles.value}>
                  <a href={href(path)}>
                    <bdi>{name}</bdi>
                  </a>
                  <Badge tone="danger">{text}</Badge>
                </li>
              ))}
            </ul>
          )
        }
      </DataState>
    </Card>
  );
}

async function readTroubles(client: MemoryClient, options: { signal: AbortSignal }) {
  const since = new Date(Date.now() - DAY_MS);
  const [{ outboundWebhooks }, { inboundWebhooks }] = await Promise.all([
    client.outboundWebhooks.list({}, options),
    client.inboundWebhooks.list({}, options),
  ]);
  const outbound = await Promise.all(
    outboundWebhooks.map(async ({ id, url, description, disabledReason }): Promise<Trouble | undefined> => {
      const place = { path: `/integrations/outbound/${id}?status=failed`, name: description || url };
      if (disabledReason === 'gone') return { ...place, text: 'switched off by a 410' };
      const query = { status: 'failed', since, limit: MAX_FAILURES } as const;
      const { outboundDeliveries } = await client.outboundWebhooks.deliveries(id, query, options);
      const failures = outboundDeliveries.length;
      if (failures === 0) return undefined;
      return { ...place, text: `${failures}${failures === MAX_FAILURES ? ' or more' : ''} failed` };
    }),
  );
  const inbound = inboundWebhooks.map(({ id, name, refusals }): Trouble | undefined => {
    const isRecent = refusals.lastAt !== undefined && Date.parse(refusals.lastAt) >= since.getTime();
    return isRecent ? { path: `/integrations/inbound/${id}`, name, text: 'refused requests' } : undefined;
  });
  return {
    count: outboundWebhooks.length + inboundWebhooks.length,
    troubles: [...outbound, ...inbound].filter((trouble) => trouble !== undefined),
  };
}
