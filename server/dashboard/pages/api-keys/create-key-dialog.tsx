import type { CreatedToken, TokenRequest } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace, useWrite } from '../../data/organization.js';
import { Checkbox, Field, Input, Select } from '../../kit/controls/field.js';
import { FormDialog } from '../../kit/feedback/form-dialog.js';
import styles from './api-keys-page.module.css';
import { KEY_ABILITIES } from './key-abilities.js';

const DAY_MS = 86_400_000;
const MAX_NAME_LENGTH = 100;

const LIFETIMES = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** The abilities that most clients need. */
const USUAL = ['memory:search', 'memory:ingest'];

interface CreateKeyDialogProps {
  onCreated: (token: CreatedToken) => void;
  onClose: () => void;
}

export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const { can } = usePlace();
  const offered = KEY_ABILITIES.filter(({ opens }) => can(opens));
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(() =>
    offered.map((ability) => ability.name).filter((ability) => USUAL.includes(ability)),
  );
  const create = useWrite((client, request: TokenRequest) => client.tokens.create(request), {
    subjects: ['tokens'],
    onDone: onCreated,
  });
  const submit = () => {
    const expiresAt = days === '' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    return create.mutateAsync({
      name: name.trim(),
      abilities: [...chosen],
      ...(expiresAt !== undefined && { expiresAt }),
    });
  };
  return (
    <FormDialog
      title="Create a key"
      submitLabel="Create"
      isReady={chosen.length > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" hint="Where you use the key, such as “Claude on my laptop”.">
        {(control) => (
          <Input
            {...control}
            autofocus
            required
            pattern=".*\S.*"
            maxLength={MAX_NAME_LENGTH}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <fieldset class={styles.choices}>
        <legend>What it may do</legend>
        {offered.map((ability) => (
          <Checkbox
            key={ability.name}
            label={
              <>
                {ability.title} <code class={styles.muted}>{ability.name}</code>
              </>
            }
            hint={ability.hint}
            checked={chosen.includes(ability.name)}
            onChange={(event) =>
              setChosen(
                event.currentTarget.checked
                  ? [...chosen, ability.name]
                  : chosen.filter((other) => other !== ability.name),
              )
            }
          />
        ))}
      </fieldset>
      <Field label="Expires">
        {(control) => (
          <Select
            {...control}
            options={LIFETIMES}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
