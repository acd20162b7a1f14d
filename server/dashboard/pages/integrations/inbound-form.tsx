import type { InboundEvent, InboundKind, InboundWebhook, InboundWebhookWithSecret } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useWrite } from '../../data/organization.js';
import { Field, Input, Select } from '../../kit/controls/field.js';
import { FormDialog } from '../../kit/feedback/form-dialog.js';
import { EventChoice } from './event-choice.js';
import { KINDS } from './words.js';

interface InboundFormProps {
  onDone: (webhook: InboundWebhookWithSecret) => void;
  onClose: () => void;
}

/** Registers a sender. */
export function CreateInbound({ onDone, onClose }: InboundFormProps) {
  const [kind, setKind] = useState<InboundKind>('codehost');
  const [name, setName] = useState('');
  const [events, setEvents] = useState<InboundEvent[]>([...KINDS.codehost.events]);
  const [secret, setSecret] = useState('');
  const create = useWrite(
    (client, _: undefined) =>
      client.inboundWebhooks.create({ kind, name: name.trim(), events, ...(secret !== '' && { secret }) }),
    { subjects: ['inbound-webhooks'], onDone },
  );
  const chooseKind = (value: string) => {
    const chosen = value === 'tracker' ? 'tracker' : 'codehost';
    setKind(chosen);
    setEvents([...KINDS[chosen].events]);
  };
  return (
    <FormDialog
      title="Add an inbound webhook"
      submitLabel="Create"
      isReady={events.length > 0}
      onSubmit={() => create.mutateAsync(undefined)}
      onClose={onClose}
    >
      <Field label="Kind">
        {(control) => (
          <Select
            {...control}
            value={kind}
            options={Object.entries(KINDS).map(([value, { title, sender }]) => ({
              value,
              label: `${title}, such as ${sender}`,
            }))}
            onChange={({ currentTarget }) => chooseKind(currentTarget.value)}
          />
        )}
      </Field>
      <NameField value={name} onInput={setName} />
      <EventChoice events={KINDS[kind].events} chosen={events} onChange={setEvents} />
      <Field
        label="Secret of the sender"
        hint="Only if the sender makes the secret itself. Leave it empty to get a new one."
      >
        {(control) => (
          <Input
            {...control}
            type="password"
            autocomplete="new-password"
            value={secret}
            onInput={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

interface EditInboundProps {
  webhook: InboundWebhook;
  onClose: () => void;
}

/** Changes the name and the events of a sender. */
export function EditInbound({ webhook, onClose }: EditInboundProps) {
  const [name, setName] = useState(webhook.name);
  const [events, setEvents] = useState<InboundEvent[]>(webhook.events);
  const update = useWrite((client, _: undefined) => client.inboundWebhooks.update(webhook.id, { name, events }), {
    subjects: ['inbound-webhooks'],
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Edit the webhook"
      submitLabel="Save"
      isReady={events.length > 0}
      onSubmit={() => update.mutateAsync(undefined)}
      onClose={onClose}
    >
      <NameField value={name} onInput={setName} />
      <EventChoice events={KINDS[webhook.kind].events} chosen={events} onChange={setEvents} />
    </FormDialog>
  );
}

function NameField({ value, onInput }: { value: string; onInput: (name: string) => void }) {
  return (
    <Field label="Name">
      {(control) => (
        <Input
          {...control}
          required
          maxLength={200}
          placeholder="acme/api"
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}
