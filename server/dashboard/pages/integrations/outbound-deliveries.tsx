import type { OutboundDelivery, OutboundWebhook } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace, useWrite } from '../../data/organization.js';
import { useReadPages } from '../../data/read-pages.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { Field, Select } from '../../kit/controls/field.js';
import { Badge } from '../../kit/display/badge.js';
import type { Column } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FormDialog } from '../../kit/feedback/form-dialog.js';
import { useToast } from '../../kit/feedback/toast.js';
import { DeliveriesHeading, NoDeliveries } from './deliveries-heading.js';
import { DeliveriesTable } from './deliveries-table.js';
import { DeliveryDialog } from './delivery-dialog.js';
import styles from './integrations.module.css';
import { resultOf, STATUS_TONES } from './words.js';

const STATUSES = ['pending', 'delivered', 'failed'] as const;

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: '1', label: 'the last hour' },
  { value: '24', label: 'the last 24 hours' },
  { value: '168', label: 'the last 7 days' },
  { value: '720', label: 'the last 30 days' },
];

/** Lists the deliveries to an endpoint, with their results. */
export function OutboundDeliveries({ webhook }: { webhook: OutboundWebhook }) {
  const { can } = usePlace();
  const [chosen, setChosen] = useQueryParam('status');
  const [opened, open] = useQueryParam('delivery');
  const [isRepeating, setRepeating] = useState(false);
  const status = STATUSES.find((one) => one === chosen);
  const deliveries = useReadPages(['outbound-webhooks', webhook.id, 'deliveries', status], (client, cursor, options) =>
    client.outboundWebhooks.deliveries(webhook.id, { status, cursor, limit: 50 }, options),
  );
  const columns: Column<OutboundDelivery>[] = [
    {
      title: 'Event',
      cell: ({ id, event }) => (
        <button type="button" class={styles.open} onClick={() => open(id, { push: true })}>
          <code>{event}</code>
        </button>
      ),
    },
    { title: 'Status', cell: ({ status: own }) => <Badge tone={STATUS_TONES[own]}>{own}</Badge> },
    { title: 'Result', cell: ({ lastAttempt }) => lastAttempt && resultOf(lastAttempt), wideOnly: true },
    { title: 'Attempts', align: 'end', cell: ({ attempts }) => attempts, wideOnly: true },
    { title: 'Created', align: 'end', cell: ({ createdAt }) => <Time value={createdAt} /> },
  ];
  return (
    <section class={styles.part}>
      <DeliveriesHeading
        label="Status"
        values={STATUSES}
        chosen={status ?? ''}
        onChoose={setChosen}
        isReading={deliveries.isFetching}
        onRefresh={() => void deliveries.refetch()}
      >
        {can('redeliverOutboundDeliveries') && webhook.enabled && (
          <Button onClick={() => setRepeating(true)}>Send failed again</Button>
        )}
      </DeliveriesHeading>
      <DataState
        query={deliveries}
        empty={{
          when: ({ pages }) => pages[0]?.outboundDeliveries.length === 0,
          show: (
            <NoDeliveries isFiltered={status !== undefined} onClear={() => setChosen('')}>
              Send a test event, or change a memory.
            </NoDeliveries>
          ),
        }}
      >
        {({ pages }) => (
          <DeliveriesTable
            columns={columns}
            rows={pages.flatMap(({ outboundDeliveries }) => outboundDeliveries)}
            list={deliveries}
            selected={opened}
          />
        )}
      </DataState>
      {opened !== '' && <DeliveryDialog webhook={webhook} deliveryId={opened} onClose={() => open('')} />}
      {isRepeating && <RedeliverFailed webhookId={webhook.id} onClose={() => setRepeating(false)} />}
    </section>
  );
}

function RedeliverFailed({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const { client } = usePlace();
  const toast = useToast();
  const [hours, setHours] = useState('24');
  const redeliver = useWrite(
    async (_, since: Date) => {
      let count = 0;
      for (let hasMore = true; hasMore; ) {
        const answer = await client.outboundWebhooks.redeliverFailed(webhookId, { since });
        count += answer.redelivered;
        hasMore = answer.hasMore;
      }
      return count;
    },
    {
      subjects: ['outbound-webhooks'],
      onDone: (count) => {
        toast({ text: told(count) });
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="Send failed deliveries again"
      submitLabel="Send again"
      onSubmit={() => redeliver.mutateAsync(new Date(Date.now() - Number(hours) * HOUR_MS))}
      onClose={onClose}
    >
      <Field label="Deliveries of" hint="Receivers recognize a delivery that they already have by its id.">
        {(control) => (
          <Select
            {...control}
            options={SPANS}
            value={hours}
            onChange={({ currentTarget }) => setHours(currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function told(count: number): string {
  if (count === 0) return 'Nothing failed in this time';
  return count === 1 ? '1 delivery is sent again' : `${count} deliveries are sent again`;
}
