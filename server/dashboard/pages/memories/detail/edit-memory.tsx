import type { Memory, WrittenMemory } from '@memory-service/sdk';
import { useId, useState } from 'preact/hooks';
import { useWrite } from '../../../data/organization.js';
import { Button } from '../../../kit/controls/button.js';
import forms from '../../../kit/controls/form.module.css';
import { Dialog } from '../../../kit/feedback/dialog.js';
import { FailureNotice } from '../../../kit/feedback/failure-notice.js';
import { WRITTEN } from '../memory-list.js';
import { DifferenceText } from './difference-text.js';
import { MemoryFields, readMetadata, writeMetadata } from './memory-form.js';

interface EditMemoryProps {
  memory: Memory;
  onClose: () => void;
  onSaved: (memory: WrittenMemory) => void;
}

/** Changes content and metadata in two steps: write, then review what changes. */
export function EditMemory({ memory, onClose, onSaved }: EditMemoryProps) {
  const before = { content: memory.content, metadata: writeMetadata(memory.metadata) };
  const id = useId();
  const [input, setInput] = useState(before);
  const [isReviewing, setIsReviewing] = useState(false);
  const metadata = readMetadata(input.metadata);
  const changesContent = input.content !== before.content;
  const changesMetadata = metadata !== undefined && writeMetadata(metadata) !== before.metadata;
  const save = useWrite(
    (client) =>
      client.update(memory.id, {
        ...(changesContent && { content: input.content }),
        ...(changesMetadata && { metadata, metadataReplace: true }),
      }),
    { subjects: WRITTEN, onDone: onSaved },
  );
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isReviewing) setIsReviewing(true);
    else if (!save.isPending) save.mutate(undefined);
  };
  const buttons = (
    <>
      <Button key="back" onClick={isReviewing ? () => setIsReviewing(false) : onClose}>
        {isReviewing ? 'Back' : 'Cancel'}
      </Button>
      <Button
        key="next"
        type="submit"
        form={id}
        look="primary"
        busy={save.isPending}
        disabled={!metadata || !(changesContent || changesMetadata)}
      >
        {isReviewing ? 'Save' : 'Review'}
      </Button>
    </>
  );
  return (
    <Dialog title={isReviewing ? 'Review the changes' : 'Edit the memory'} onClose={onClose} footer={buttons}>
      <form id={id} class={forms.form} onSubmit={submit}>
        {isReviewing ? (
          <>
            {changesContent && (
              <div>
                <h3>Content</h3>
                <DifferenceText label="Changes of the content" before={before.content} after={input.content} />
              </div>
            )}
            {changesMetadata && (
              <div>
                <h3>Metadata</h3>
                <DifferenceText
                  label="Changes of the metadata"
                  before={before.metadata}
                  after={writeMetadata(metadata)}
                />
              </div>
            )}
            {save.error && <FailureNotice error={save.error} />}
          </>
        ) : (
          <MemoryFields input={input} onInput={setInput} />
        )}
      </form>
    </Dialog>
  );
}
