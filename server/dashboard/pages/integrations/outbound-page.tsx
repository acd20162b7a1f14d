import type { OutboundWebhook } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace, useRead, useWrite } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { Card } from '../../kit/display/card.js';
import { Time } from '../../kit/display/time.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';
import styles from './integrations.module.css';
import { OutboundDeliveries } from './outbound-deliveries.js';
import { EditOutbound } from './outbound-form.js';
import { SecretDialog } from './secret-dialog.js';
import { useLeave } from './use-leave.js';
import { Fact, WebhookFrame } from './webhook-frame.js';
import { Events, Status } from './webhook-lists.js';

const SUBJECTS = { subjects: ['outbound-webhooks'] };

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
  const leave = useLeave('outbound-webhooks');
  const toast = useToast();
  const [, openDelivery] = useQueryParam('delivery');
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpen(undefined);
  const toggle = useWrite((_, enabled: boolean) => client.outboundWebhooks.update(webhook.id, { enabled }), {
    ...SUBJECTS,
    onDone: ({ enabled }) => toast({ text: enabled ? 'Enabled' : 'Disabled' }),
  });
  const test = useWrite((_, id: string) => client.outboundWebhooks.test(id), {
    ...SUBJECTS,
    onDone: ({ id }) => openDelivery(id, { push: true }),
  });
  const rotate = useWrite((_, id: string) => client.outboundWebhooks.rotateSecret(id), {
    ...SUBJECTS,
    onDone: (rotated) => setSecret(rotated.secret),
  });
  const remove = useWrite((_, id: string) => client.outboundWebhooks.delete(id), {
    subjects: [],
    onDone: leave,
  });
  const mayChange = can('updateOutboundWebhook');
  const failure = test.error ?? toggle.error;
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
      items={[
        mayChange && { label: 'Edit', run: () => setOpen('edit') },
        mayChange && {
          label: webhook.enabled ? 'Disable' : 'Enable',
          run: () => toggle.mutate(!webhook.enabled),
        },
        can('rotateOutboundWebhookSecret') && { label: 'Rotate the secret', run: () => setOpen('rotate') },
        can('deleteOutboundWebhook') && { label: 'Delete', isDangerous: true, run: () => setOpen('delete') },
      ]}
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
      {open === 'edit' && <EditOutbound webhook={webhook} onClose={close} />}
      {open === 'rotate' && (
        <ConfirmDialog
          title="Rotate the secret"
          confirmLabel="Rotate"
          onConfirm={() => rotate.mutateAsync(webhook.id)}
          onClose={close}
        >
          You get a new secret. For 24 hours, events have the signatures of both secrets.
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete the webhook"
          confirmLabel="Delete"
          typed={webhook.url}
          onConfirm={() => remove.mutateAsync(webhook.id)}
          onClose={close}
        >
          The endpoint gets no more events. The log of its deliveries is deleted.
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <SecretDialog title="The new secret" secret={secret} onClose={() => setSecret(undefined)}>
          <p>Give it to the endpoint within 24 hours. Until then events are signed with both secrets.</p>
        </SecretDialog>
      )}
    </WebhookFrame>
  );
}
