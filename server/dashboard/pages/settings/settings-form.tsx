import type { OrganizationSettings, OrganizationSettingsUpdate } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace, useWrite } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { Checkbox, Field, Input, Select } from '../../kit/controls/field.js';
import { Card } from '../../kit/display/card.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';
import { numberText } from '../../kit/text/number-text.js';
import { changesOf, draftOf } from './draft.js';
import styles from './settings-page.module.css';

/** Bounds of openapi.yaml. */
const MAX_KEPT_VERSIONS = 100;
const MAX_RETENTION_DAYS = 3650;

const TYPES = [
  { value: 'integer', label: 'Whole numbers' },
  { value: 'string', label: 'Texts' },
];
const NOT_CHOSEN = { value: '', label: 'Not chosen yet' };

const RETENTIONS = [
  { value: 'kept', label: 'Keep them for good' },
  { value: 'purged', label: 'Purge them after a time' },
];

/** One form for all settings. Only changed ones are sent. */
export function SettingsForm({ stored }: { stored: OrganizationSettings }) {
  const { can } = usePlace();
  const toast = useToast();
  const [draft, setDraft] = useState(() => draftOf(stored));
  const mayChange = can('updateOrganizationSettings');
  const changes = changesOf(draft, stored);
  const count = Object.keys(changes).length;
  const save = useWrite((client, update: OrganizationSettingsUpdate) => client.settings.update(update), {
    subjects: ['settings'],
    onDone: (saved) => {
      setDraft(draftOf(saved));
      toast({ text: 'The settings are saved' });
    },
  });
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const submit = (event: Event) => {
    event.preventDefault();
    if (count > 0 && !save.isPending) save.mutate(changes);
  };
  const discard = () => {
    setDraft(draftOf(stored));
    save.reset();
  };
  return (
    <Card title="Memories">
      <form onSubmit={submit}>
        <fieldset class={styles.form} disabled={!mayChange}>
          <legend class="visually-hidden">Settings of memories</legend>
          <Field
            label="Subject keys"
            hint="A subject is whom or what a memory is about. The type of its key can change only while no memory has one, deleted memories included."
          >
            {(control) => (
              <Select
                {...control}
                options={stored.subjectKeyType === null ? [NOT_CHOSEN, ...TYPES] : TYPES}
                value={draft.subjectKeyType}
                onChange={(event) => change({ subjectKeyType: event.currentTarget.value })}
              />
            )}
          </Field>
          <Checkbox
            label="Merge near-duplicates"
            hint="A new memory that says the same in the same words and order is merged into the stored one. Articles, spelling variants and list marks may differ; numbers, dates and names never."
            checked={draft.semanticDedupe}
            onChange={(event) => change({ semanticDedupe: event.currentTarget.checked })}
          />
          <NumberField
            label="Versions kept of each memory"
            hint={`Earlier states that can be read and restored: 0 to ${MAX_KEPT_VERSIONS}. A lower number takes effect for each memory with its next change.`}
            min={0}
            max={MAX_KEPT_VERSIONS}
            value={draft.keptVersions}
            onChange={(keptVersions) => change({ keptVersions })}
          />
          <Field
            label="Deleted memories"
            hint="A deleted memory can be restored until it is purged. Purging removes it with its vector and versions."
          >
            {(control) => (
              <Select
                {...control}
                options={RETENTIONS}
                value={draft.deletedMemories}
                onChange={(event) =>
                  change({ deletedMemories: event.currentTarget.value === 'kept' ? 'kept' : 'purged' })
                }
              />
            )}
          </Field>
          {draft.deletedMemories === 'purged' && (
            <NumberField
              label="Days until a deleted memory is purged"
              hint={`1 to ${numberText(MAX_RETENTION_DAYS)}. For an imported memory they begin with the import.`}
              min={1}
              max={MAX_RETENTION_DAYS}
              value={draft.deletedRetentionDays}
              onChange={(deletedRetentionDays) => change({ deletedRetentionDays })}
            />
          )}
        </fieldset>
        {mayChange ? (
          <div class={styles.end}>
            {save.error && <FailureNotice error={save.error} />}
            <div class={styles.buttons}>
              <Button type="submit" look="primary" busy={save.isPending} disabled={count === 0}>
                Save changes
              </Button>
              {count > 0 && (
                <Button look="quiet" onClick={discard}>
                  Discard
                </Button>
              )}
            </div>
          </div>
        ) : (
          <p class={styles.note}>Only owners change these settings.</p>
        )}
      </form>
    </Card>
  );
}

interface NumberFieldProps {
  label: string;
  hint: string;
  min: number;
  max: number;
  /** The text as typed. */
  value: string;
  onChange: (value: string) => void;
}

function NumberField({ label, hint, min, max, value, onChange }: NumberFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Input
          {...control}
          type="number"
          required
          min={min}
          max={max}
          step={1}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
