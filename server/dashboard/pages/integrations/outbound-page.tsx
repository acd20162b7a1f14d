import type { OutboundWebhook } from '@memory-service/sdk';
import { usePlace, useRead, useWrite } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { Card } from '../../kit/display/card.js';
import { Time } from '../../kit/display/time.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import styles from './integrations.module.css';
import { OutboundDeliveries } from './outbound-deliveries.js';
import { EditOutbound } from './outbound-form.js';
import { useWebhookActions } from './webhook-actions.js';
import { Fact, WebhookFrame } from './webhook-frame.js';
import { Events, Status } from './webhook-lists.js';

const TEXTS = {
  rotate: 'You get a new secret. For 24 hours, events have the signatures of both secrets.',
  secret: 'Give it to the endpoint within 24 hours. Until then events are signed with both secrets.',
  delete: 'The endpoint gets no more events. The log of its deliveries is deleted.',
};

const DISABLED_REASONS = {
  owner: 'An owner switched it off',
  gone: 'The endpoint answered 410',
} as const;

export function OutboundPage({ webhookId }: { webhookId: string }) {
  const webhook = useRead(['outbound-webhooks', webhookId], (client, options) =>
    client.outboundWebhooks.get(webhookId, options),
  );
  return <DataState query={webhook}>{(found) => <Outbound webhook={found} />}</DataState>;
}

function Outbound({ webhook }: { webhook: OutboundWebhook }) {
  const { can, client } = usePlace();
  const [, openDelivery] = useQueryParam('delivery');
  const test = useWrite((_, id: string) => client.outboundWebhooks.test(id), {
    subjects: ['outbound-webhooks'],
    onDone: ({ id }) => openDelivery(id, { push: true }),
  });
  const { items, dialogs, error } = useWebhookActions({
    subject: 'outbound-webhooks',
    calls: client.outboundWebhooks,
    webhook,
    operations: {
      change: 'updateOutboundWebhook',
      rotate: 'rotateOutboundWebhookSecret',
      delete: 'deleteOutboundWebhook',
    },
    typed: webhook.url,
    texts: TEXTS,
    form: (close) => <EditOutbound webhook={webhook} onClose={close} />,
  });
  const failure = test.error ?? error;
  return (
    <WebhookFrame
      title="Outbound webhook"
      name={webhook.description || webhook.url}
      action={
        can('sendTestEvent') && (
          <Button busy={test.isPending} onClick={() => test.mutate(webhook.id)}>
            Send a test event
          </Button>
        )
      }
      items={items}
    >
      {failure && <FailureNotice error={failure} />}
      <Card title="Endpoint" aside={<Status enabled={webhook.enabled} />}>
        <dl class={styles.facts}>
          <Fact name="URL">
            <bdi>{webhook.url}</bdi>
          </Fact>
          <Fact name="Events">
            <Events events={webhook.events} />
          </Fact>
          {webhook.disabledReason && webhook.disabledAt && (
            <Fact name="Disabled">
              {DISABLED_REASONS[webhook.disabledReason]} <Time value={webhook.disabledAt} />
            </Fact>
          )}
        </dl>
      </Card>
      <OutboundDeliveries webhook={webhook} />
      {dialogs}
    </WebhookFrame>
  );
}
