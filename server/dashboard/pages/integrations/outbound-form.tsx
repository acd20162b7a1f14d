import type { OutboundEventName, OutboundWebhook, OutboundWebhookWithSecret } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useWrite } from '../../data/organization.js';
import { Field, Input } from '../../kit/controls/field.js';
import { FormDialog } from '../../kit/feedback/form-dialog.js';
import { EventChoice } from './event-choice.js';
import { OUTBOUND_EVENTS } from './words.js';

interface Values {
  url: string;
  description: string;
  events: OutboundEventName[];
}

interface CreateOutboundProps {
  onDone: (webhook: OutboundWebhookWithSecret) => void;
  onClose: () => void;
}

/** Registers an endpoint. */
export function CreateOutbound({ onDone, onClose }: CreateOutboundProps) {
  const create = useWrite((client, values: Values) => client.outboundWebhooks.create(values), {
    subjects: ['outbound-webhooks'],
    onDone,
  });
  return (
    <OutboundForm
      title="Add an outbound webhook"
      submitLabel="Create"
      initial={{ url: '', description: '', events: [...OUTBOUND_EVENTS] }}
      onSubmit={(values) => create.mutateAsync(values)}
      onClose={onClose}
    />
  );
}

interface EditOutboundProps {
  webhook: OutboundWebhook;
  onClose: () => void;
}

export function EditOutbound({ webhook, onClose }: EditOutboundProps) {
  const update = useWrite((client, values: Values) => client.outboundWebhooks.update(webhook.id, values), {
    subjects: ['outbound-webhooks'],
    onDone: onClose,
  });
  return (
    <OutboundForm
      title="Edit the webhook"
      submitLabel="Save"
      initial={webhook}
      onSubmit={(values) => update.mutateAsync(values)}
      onClose={onClose}
    />
  );
}

interface OutboundFormProps {
  title: string;
  submitLabel: string;
  initial: Values;
  onSubmit: (values: Values) => Promise<unknown>;
  onClose: () => void;
}

function OutboundForm({ title, submitLabel, initial, onSubmit, onClose }: OutboundFormProps) {
  const [url, setUrl] = useState(initial.url);
  const [description, setDescription] = useState(initial.description);
  const [events, setEvents] = useState(initial.events);
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      isReady={events.length > 0}
      onSubmit={() => onSubmit({ url: url.trim(), description: description.trim(), events })}
      onClose={onClose}
    >
      <Field label="URL" hint="Events are posted to this address. They do not contain the content of the memory.">
        {(control) => (
          <Input
            {...control}
            type="url"
            required
            placeholder="https://example.com/hook"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Description" hint="Optional.">
        {(control) => (
          <Input
            {...control}
            maxLength={200}
            value={description}
            onInput={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        )}
      </Field>
      <EventChoice events={OUTBOUND_EVENTS} chosen={events} onChange={setEvents} />
    </FormDialog>
  );
}
