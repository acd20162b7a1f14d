import type { InboundWebhook } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace, useRead, useWrite } from '../../data/organization.js';
import { CopyField } from '../../kit/controls/copy.js';
import { Card } from '../../kit/display/card.js';
import { Time } from '../../kit/display/time.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';
import { InboundDeliveries } from './inbound-deliveries.js';
import { EditInbound } from './inbound-form.js';
import styles from './integrations.module.css';
import { SecretDialog } from './secret-dialog.js';
import { useLeave } from './use-leave.js';
import { Fact, WebhookFrame } from './webhook-frame.js';
import { Events, Status } from './webhook-lists.js';
import { KINDS, REFUSAL_REASONS } from './words.js';

const SUBJECTS = { subjects: ['inbound-webhooks'] };

export function InboundPage({ webhookId }: { webhookId: string }) {
  const webhook = useRead(['inbound-webhooks', webhookId], (client, options) =>
    client.inboundWebhooks.get(webhookId, options),
  );
  return <DataState query={webhook}>{(found) => <Inbound webhook={found} />}</DataState>;
}

function Inbound({ webhook }: { webhook: InboundWebhook }) {
  const { can, client } = usePlace();
  const leave = useLeave('inbound-webhooks');
  const toast = useToast();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpen(undefined);
  const toggle = useWrite((_, enabled: boolean) => client.inboundWebhooks.update(webhook.id, { enabled }), {
    ...SUBJECTS,
    onDone: ({ enabled }) => toast({ text: enabled ? 'Enabled' : 'Disabled' }),
  });
  const rotate = useWrite((_, id: string) => client.inboundWebhooks.rotateSecret(id), {
    ...SUBJECTS,
    onDone: (rotated) => setSecret(rotated.secret),
  });
  const remove = useWrite((_, id: string) => client.inboundWebhooks.delete(id), {
    subjects: [],
    onDone: leave,
  });
  const mayChange = can('updateInboundWebhook');
  return (
    <WebhookFrame
      title={KINDS[webhook.kind].title}
      name={webhook.name}
      items={[
        mayChange && { label: 'Edit', run: () => setOpen('edit') },
        mayChange && {
          label: webhook.enabled ? 'Disable' : 'Enable',
          run: () => toggle.mutate(!webhook.enabled),
        },
        can('rotateInboundWebhookSecret') && { label: 'Rotate the secret', run: () => setOpen('rotate') },
        can('deleteInboundWebhook') && { label: 'Delete', isDangerous: true, run: () => setOpen('delete') },
      ]}
    >
      {toggle.error && <FailureNotice error={toggle.error} />}
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
      {open === 'edit' && <EditInbound webhook={webhook} onClose={close} />}
      {open === 'rotate' && (
        <ConfirmDialog
          title="Rotate the secret"
          confirmLabel="Rotate"
          onConfirm={() => rotate.mutateAsync(webhook.id)}
          onClose={close}
        >
          You get a new secret. The service accepts the old one for 24 more hours.
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete the webhook"
          confirmLabel="Delete"
          typed={webhook.name}
          onConfirm={() => remove.mutateAsync(webhook.id)}
          onClose={close}
        >
          The sender can no longer deliver. Its deliveries are deleted. The memories stay.
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <SecretDialog title="The new secret" secret={secret} onClose={() => setSecret(undefined)}>
          <p>Paste it into the settings of the sender within 24 hours. Until then the old secret works too.</p>
        </SecretDialog>
      )}
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
