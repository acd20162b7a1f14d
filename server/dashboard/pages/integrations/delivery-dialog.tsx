import type { OutboundAttempt, OutboundDeliveryDetail, OutboundWebhook } from '@memory-service/sdk';
import { useQueryClient } from '@tanstack/preact-query';
import { keyOf, usePlace, useRead, useWrite } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { Badge } from '../../kit/display/badge.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { Time } from '../../kit/display/time.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { Dialog } from '../../kit/feedback/dialog.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';
import styles from './integrations.module.css';
import { Fact } from './webhook-frame.js';
import { resultOf, STATUS_TONES } from './words.js';

interface DeliveryDialogProps {
  webhook: OutboundWebhook;
  deliveryId: string;
  onClose: () => void;
}

/** Shows the request of a delivery, and the answer to each attempt. */
export function DeliveryDialog({ webhook, deliveryId, onClose }: DeliveryDialogProps) {
  const { can, client, organization } = usePlace();
  const queries = useQueryClient();
  const refresh = () =>
    queries.invalidateQueries({ queryKey: keyOf(organization.id, 'outbound-webhooks', webhook.id) });
  const toast = useToast();
  const delivery = useRead(['outbound-webhooks', webhook.id, 'delivery', deliveryId], (_, options) =>
    client.outboundWebhooks.delivery(webhook.id, deliveryId, options),
  );
  const redeliver = useWrite((_, id: string) => client.outboundWebhooks.redeliver(webhook.id, id), {
    subjects: ['outbound-webhooks'],
    onDone: () => toast({ text: 'The delivery is sent again' }),
  });
  const isPending = delivery.data?.status === 'pending';
  const maySend = can('redeliverOutboundDelivery') && webhook.enabled && delivery.data && !isPending;
  return (
    <Dialog
      title="Delivery"
      onClose={onClose}
      footer={
        <>
          <Button busy={delivery.isFetching} onClick={refresh}>
            Refresh
          </Button>
          {maySend && (
            <Button look="primary" busy={redeliver.isPending} onClick={() => redeliver.mutate(deliveryId)}>
              Send again
            </Button>
          )}
        </>
      }
    >
      {redeliver.error && <FailureNotice error={redeliver.error} />}
      <DataState query={delivery}>{(found) => <Delivery delivery={found} />}</DataState>
    </Dialog>
  );
}

function Delivery({ delivery }: { delivery: OutboundDeliveryDetail }) {
  const { event, status, createdAt, nextAttemptAt, id, headers, body, attemptLog } = delivery;
  return (
    <>
      <dl class={styles.facts}>
        <Fact name="Event">
          <code>{event}</code> <Badge tone={STATUS_TONES[status]}>{status}</Badge>
        </Fact>
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
        <Fact name="Created">
          <Time value={createdAt} absolute />
        </Fact>
        {nextAttemptAt && (
          <Fact name="Next attempt">
            <Time value={nextAttemptAt} />
          </Fact>
        )}
      </dl>
      <section class={styles.attempts}>
        <h3>Attempts</h3>
        {attemptLog.length === 0 && <p class={styles.muted}>None yet.</p>}
        <ol class={styles.attempts}>
          {attemptLog.map((attempt) => (
            <Attempt key={attempt.at} attempt={attempt} />
          ))}
        </ol>
      </section>
      <CodeBlock label="Body" code={indented(body)} />
      <CodeBlock
        label="Headers"
        code={Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n')}
      />
    </>
  );
}

function Attempt({ attempt }: { attempt: OutboundAttempt }) {
  return (
    <li class={styles.attempt}>
      <p class={styles.line}>
        <span>{resultOf(attempt)}</span>
        <span class={styles.muted}>
          {attempt.durationMs !== undefined && `${attempt.durationMs} ms, `}
          <Time value={attempt.at} />
        </span>
      </p>
      {attempt.answer !== undefined && (
        <pre tabIndex={0}>
          <MemoryText text={attempt.answer} />
        </pre>
      )}
    </li>
  );
}

/** Control characters, and those that change the direction of text, which JSON may contain as they are. */
const CONTROLS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The body is JSON that the service wrote. It has the same meaning afterwards. */
function indented(body: string): string {
  const escaped = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(JSON.parse(body), null, 2).replace(CONTROLS, escaped);
}
