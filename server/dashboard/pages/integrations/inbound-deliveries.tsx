import type { InboundDelivery } from '@memory-service/sdk';
import { useReadPages } from '../../data/read-pages.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Badge } from '../../kit/display/badge.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import type { Column } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { DeliveriesHeading, NoDeliveries } from './deliveries-heading.js';
import { DeliveriesTable } from './deliveries-table.js';
import styles from './integrations.module.css';
import { STATE_TONES } from './words.js';

const STATES = ['queued', 'processed', 'ignored', 'failed'] as const;

const COLUMNS: readonly Column<InboundDelivery>[] = [
  {
    title: 'Event',
    cell: ({ event, requestId }) => (
      <>
        <code>
          <MemoryText text={event} />
        </code>
        <p class={styles.muted}>
          Request <code class={styles.long}>{requestId}</code>
        </p>
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ state, reason }) => (
      <>
        <Badge tone={STATE_TONES[state]}>{state}</Badge>
        {reason !== undefined && (
          <p class={styles.muted}>
            <code>{reason}</code>
          </p>
        )}
      </>
    ),
  },
  { title: 'Memories', cell: ({ counts }) => countsOf(counts), wideOnly: true },
  { title: 'Received', align: 'end', cell: ({ receivedAt }) => <Time value={receivedAt} /> },
];

/** Lists the deliveries of a sender, with their results. */
export function InboundDeliveries({ webhookId }: { webhookId: string }) {
  const [chosen, setChosen] = useQueryParam('state');
  const state = STATES.find((one) => one === chosen);
  const deliveries = useReadPages(['inbound-webhooks', webhookId, 'deliveries', state], (client, cursor, options) =>
    client.inboundWebhooks.deliveries(webhookId, { state, cursor, limit: 50 }, options),
  );
  return (
    <section class={styles.part}>
      <DeliveriesHeading
        label="State"
        values={STATES}
        chosen={state ?? ''}
        onChoose={setChosen}
        isReading={deliveries.isFetching}
        onRefresh={() => void deliveries.refetch()}
      />
      <DataState
        query={deliveries}
        empty={{
          when: ({ pages }) => pages[0]?.inboundDeliveries.length === 0,
          show: (
            <NoDeliveries isFiltered={state !== undefined} onClear={() => setChosen('')}>
              Deliveries appear here as soon as the sender posts to the address above.
            </NoDeliveries>
          ),
        }}
      >
        {({ pages }) => (
          <DeliveriesTable
            columns={COLUMNS}
            rows={pages.flatMap(({ inboundDeliveries }) => inboundDeliveries)}
            list={deliveries}
          />
        )}
      </DataState>
    </section>
  );
}

function countsOf(counts: InboundDelivery['counts']): string {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return present.map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
}
