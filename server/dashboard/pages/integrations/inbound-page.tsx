import type { InboundWebhook } from '@memory-service/sdk';
import { usePlace, useRead } from '../../data/organization.js';
import { CopyField } from '../../kit/controls/copy.js';
import { Card } from '../../kit/display/card.js';
import { Time } from '../../kit/display/time.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { InboundDeliveries } from './inbound-deliveries.js';
import { EditInbound } from './inbound-form.js';
import styles from './integrations.module.css';
import { useWebhookActions } from './webhook-actions.js';
import { Fact, WebhookFrame } from './webhook-frame.js';
import { Events, Status } from './webhook-lists.js';
import { KINDS, REFUSAL_REASONS } from './words.js';

const TEXTS = {
  rotate: 'You get a new secret. The service accepts the old one for 24 more hours.',
  secret: 'Paste it into the settings of the sender within 24 hours. Until then the old secret works too.',
  delete: 'The sender can no longer deliver. Its deliveries are deleted. The memories stay.',
};

export function InboundPage({ webhookId }: { webhookId: string }) {
  const webhook = useRead(['inbound-webhooks', webhookId], (client, options) =>
    client.inboundWebhooks.get(webhookId, options),
  );
  return <DataState query={webhook}>{(found) => <Inbound webhook={found} />}</DataState>;
}

function Inbound({ webhook }: { webhook: InboundWebhook }) {
  const { client } = usePlace();
  const { items, dialogs, error } = useWebhookActions({
    subject: 'inbound-webhooks',
    calls: client.inboundWebhooks,
    webhook,
    operations: {
      change: 'updateInboundWebhook',
      rotate: 'rotateInboundWebhookSecret',
      delete: 'deleteInboundWebhook',
    },
    typed: webhook.name,
    texts: TEXTS,
    form: (close) => <EditInbound webhook={webhook} onClose={close} />,
  });
  return (
    <WebhookFrame title={KINDS[webhook.kind].title} name={webhook.name} items={items}>
      {error && <FailureNotice error={error} />}
      <Card title="Connection" aside={<Status enabled={webhook.enabled} />}>
        <dl class={styles.facts}>
          <Fact name="Events">
            <Events events={webhook.events} />
          </Fact>
          {webhook.previousSecretUntil && (
            <Fact name="Previous secret">
              Accepted until <Time value={webhook.previousSecretUntil} absolute />
            </Fact>
          )}
          <Fact name="Refused requests">
            <Refusals refusals={webhook.refusals} />
          </Fact>
        </dl>
        <div class={styles.address}>
          <CopyField label="Address" value={location.origin + webhook.path} />
        </div>
      </Card>
      <InboundDeliveries webhookId={webhook.id} />
      {dialogs}
    </WebhookFrame>
  );
}

function Refusals({ refusals: { count, lastAt, lastReason } }: Pick<InboundWebhook, 'refusals'>) {
  if (count === 0) return <>None</>;
  return (
    <>
      {count}
      {lastAt && (
        <>
          , the latest <Time value={lastAt} />
        </>
      )}
      {lastReason && `: ${REFUSAL_REASONS[lastReason]}`}
    </>
  );
}
