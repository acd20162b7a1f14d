import type { Outcome } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useRead, useWrite } from '../../../data/organization.js';
import { Field, Input } from '../../../kit/controls/field.js';
import { FormDialog } from '../../../kit/feedback/form-dialog.js';
import { useToast } from '../../../kit/feedback/toast.js';
import { WRITTEN } from '../memory-list.js';
import { MemoryFields, readMetadata, readSubjectKey } from './memory-form.js';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  created: 'Stored as a new memory',
  updated: 'An existing memory was updated',
  deduplicated: 'This content was already stored: nothing is new',
  merged_metadata: 'Merged into a memory with nearly the same content',
};

interface AddMemoryProps {
  onClose: () => void;
  onAdded: (id: string) => void;
}

export function AddMemory({ onClose, onAdded }: AddMemoryProps) {
  const [input, setInput] = useState({ content: '', metadata: '' });
  const [externalKey, setExternalKey] = useState('');
  const [subject, setSubject] = useState('');
  const toast = useToast();
  const { data: settings } = useRead(['settings'], (client, options) => client.settings.get(options));
  const type = settings?.subjectKeyType ?? undefined;
  const metadata = readMetadata(input.metadata);
  const add = useWrite(
    (client) => {
      const subjectKey = type && readSubjectKey(subject, type);
      return client.ingest({
        content: input.content,
        ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
        ...(externalKey !== '' && { externalKey }),
        ...(subjectKey !== undefined && { subjectKey }),
      });
    },
    {
      subjects: WRITTEN,
      onDone: ({ id, outcome }) => {
        toast({ text: OUTCOMES[outcome] });
        onAdded(id);
      },
    },
  );
  return (
    <FormDialog
      title="Add a memory"
      submitLabel="Add"
      isReady={metadata !== undefined}
      onSubmit={() => add.mutateAsync(undefined)}
      onClose={onClose}
    >
      <MemoryFields input={input} onInput={setInput} />
      {type && (
        <Field label="Subject" hint="Who or what it is about. May stay empty.">
          {(control) => (
            <Input {...control} value={subject} onInput={(event) => setSubject(event.currentTarget.value)} />
          )}
        </Field>
      )}
      <Field label="External key" hint="Your own key of the memory. May stay empty.">
        {(control) => (
          <Input {...control} value={externalKey} onInput={(event) => setExternalKey(event.currentTarget.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
