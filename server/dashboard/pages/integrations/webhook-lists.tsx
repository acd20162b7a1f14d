import type {
  InboundWebhook,
  InboundWebhookWithSecret,
  OutboundWebhook,
  OutboundWebhookWithSecret,
} from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePlace, useRead } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { CopyField } from '../../kit/controls/copy.js';
import { Badge } from '../../kit/display/badge.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { type Column, Table } from '../../kit/display/table.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { CreateInbound } from './inbound-form.js';
import styles from './integrations.module.css';
import { CreateOutbound } from './outbound-form.js';
import { SecretDialog } from './secret-dialog.js';
import { KINDS } from './words.js';

/** The inbound and the outbound webhooks. */
export function WebhookLists() {
  return (
    <>
      <PageHeader
        title="Integrations"
        description="Inbound webhooks turn events of a code host or an issue tracker into memories. Outbound webhooks tell your services about changes."
      />
      <div class={styles.page}>
        <Inbound />
        <Outbound />
      </div>
    </>
  );
}

function Inbound() {
  const { can, href } = usePlace();
  const { route } = useLocation();
  const [adding, setAdding] = useQueryParam('add');
  const [created, setCreated] = useState<InboundWebhookWithSecret>();
  const webhooks = useRead(['inbound-webhooks'], (client, options) => client.inboundWebhooks.list({}, options));
  const columns: Column<InboundWebhook>[] = [
    {
      title: 'Name',
      cell: ({ id, name }) => (
        <a href={href(`/integrations/inbound/${id}`)} class={styles.long}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    { title: 'Kind', cell: ({ kind }) => KINDS[kind].title, wideOnly: true },
    { title: 'Events', cell: ({ events }) => <Events events={events} />, wideOnly: true },
    { title: 'Refused', align: 'end', cell: ({ refusals }) => refusals.count, wideOnly: true },
    { title: 'Status', align: 'end', cell: ({ enabled }) => <Status enabled={enabled} /> },
  ];
  const add = can('createInboundWebhook') && (
    <Button onClick={() => setAdding('inbound')}>Add an inbound webhook</Button>
  );
  return (
    <section class={styles.part}>
      <DataState
        query={webhooks}
        empty={{
          when: ({ inboundWebhooks }) => inboundWebhooks.length === 0,
          show: (
            <EmptyState title="No inbound webhooks" action={add}>
              <p>Commits, issues and comments become memories as soon as a sender posts them.</p>
            </EmptyState>
          ),
        }}
      >
        {({ inboundWebhooks }) => (
          <>
            <header class={styles.heading}>
              <h2>Inbound</h2>
              {add}
            </header>
            <Table caption="Inbound webhooks" columns={columns} rows={inboundWebhooks} keyOf={({ id }) => id} />
          </>
        )}
      </DataState>
      {adding === 'inbound' && !created && <CreateInbound onDone={setCreated} onClose={() => setAdding('')} />}
      {created && (
        <SecretDialog
          title="Connect the sender"
          secret={created.secret}
          onClose={() => route(href(`/integrations/inbound/${created.id}`))}
        >
          <p>Paste the address and the secret into the settings of the sender.</p>
          <CopyField label="Address" value={location.origin + created.path} />
        </SecretDialog>
      )}
    </section>
  );
}

function Outbound() {
  const { can, href } = usePlace();
  const { route } = useLocation();
  const [adding, setAdding] = useQueryParam('add');
  const [created, setCreated] = useState<OutboundWebhookWithSecret>();
  const webhooks = useRead(['outbound-webhooks'], (client, options) => client.outboundWebhooks.list({}, options));
  const columns: Column<OutboundWebhook>[] = [
    {
      title: 'URL',
      cell: ({ id, url, description }) => (
        <>
          <a href={href(`/integrations/outbound/${id}`)} class={styles.long}>
            <bdi>{url}</bdi>
          </a>
          {description !== '' && (
            <p class={styles.muted}>
              <bdi>{description}</bdi>
            </p>
          )}
        </>
      ),
    },
    { title: 'Events', cell: ({ events }) => <Events events={events} />, wideOnly: true },
    { title: 'Status', align: 'end', cell: ({ enabled }) => <Status enabled={enabled} /> },
  ];
  const add = can('createOutboundWebhook') && (
    <Button onClick={() => setAdding('outbound')}>Add an outbound webhook</Button>
  );
  return (
    <section class={styles.part}>
      <DataState
        query={webhooks}
        empty={{
          when: ({ outboundWebhooks }) => outboundWebhooks.length === 0,
          show: (
            <EmptyState title="No outbound webhooks" action={add}>
              <p>Your services can learn of every new, changed and deleted memory.</p>
            </EmptyState>
          ),
        }}
      >
        {({ outboundWebhooks }) => (
          <>
            <header class={styles.heading}>
              <h2>Outbound</h2>
              {add}
            </header>
            <Table caption="Outbound webhooks" columns={columns} rows={outboundWebhooks} keyOf={({ id }) => id} />
          </>
        )}
      </DataState>
      {adding === 'outbound' && !created && <CreateOutbound onDone={setCreated} onClose={() => setAdding('')} />}
      {created && (
        <SecretDialog
          title="Verify what arrives"
          secret={created.secret}
          onClose={() => route(href(`/integrations/outbound/${created.id}`))}
        >
          <p>Give the secret to the endpoint. It verifies the signature of each event with it.</p>
        </SecretDialog>
      )}
    </section>
  );
}

export function Events({ events }: { events: readonly string[] }) {
  return (
    <span class={styles.events}>
      {events.map((event) => (
        <code key={event}>{event}</code>
      ))}
    </span>
  );
}

export function Status({ enabled }: { enabled: boolean }) {
  return enabled ? <Badge tone="success">Enabled</Badge> : <Badge>Disabled</Badge>;
}
