import type { Memory, MemoryVersion, WrittenMemory } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace, useRead, useWrite } from '../../../data/organization.js';
import { Button } from '../../../kit/controls/button.js';
import { Time } from '../../../kit/display/time.js';
import { ConfirmDialog } from '../../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../../kit/feedback/data-state.js';
import { useToast } from '../../../kit/feedback/toast.js';
import { WRITTEN } from '../memory-list.js';
import { DifferenceText } from './difference-text.js';
import styles from './memory-detail.module.css';

interface VersionsProps {
  memory: Memory;
  onRestored: (memory: WrittenMemory) => void;
}

/** The earlier states of a memory, each compared with its present state. */
export function Versions({ memory, onRestored }: VersionsProps) {
  const { can } = usePlace();
  const { id, deletedAt } = memory;
  const [chosen, setChosen] = useState<MemoryVersion>();
  const toast = useToast();
  const read = useRead(['memory', id, 'versions'], (client, options) =>
    client.versions.list(id, { includeDeleted: true }, options),
  );
  const restore = useWrite((client, version: number) => client.versions.restore(id, version), {
    subjects: WRITTEN,
    onDone: (written, version) => {
      onRestored(written);
      toast({ text: `Version ${version} is restored` });
    },
  });
  const none = <p class={styles.muted}>This memory has no earlier versions.</p>;
  return (
    <>
      <DataState query={read} empty={{ when: ({ versions }) => versions.length === 0, show: none }}>
        {({ versions, nextCursor }) => (
          <ol class={styles.entries}>
            {versions.map((version) => (
              <li key={version.version} class={styles.entry}>
                <div class={styles.entryHead}>
                  <span>
                    <strong>Version {version.version}</strong>{' '}
                    <span class={styles.muted}>
                      until <Time value={version.replacedAt} />
                    </span>
                  </span>
                  {deletedAt === undefined && can('restoreMemoryVersion') && (
                    <Button onClick={() => setChosen(version)}>Restore</Button>
                  )}
                </div>
                <DifferenceText
                  label={`Version ${version.version}, compared with the present`}
                  before={textOf(version)}
                  after={textOf(memory)}
                />
              </li>
            ))}
            {nextCursor !== undefined && <li class={styles.muted}>Older versions are not shown.</li>}
          </ol>
        )}
      </DataState>
      {chosen && (
        <ConfirmDialog
          title={`Restore version ${chosen.version}`}
          confirmLabel="Restore"
          onConfirm={() => restore.mutateAsync(chosen.version)}
          onClose={() => setChosen(undefined)}
        >
          <p>Content, metadata and subject become those of the version. The present state becomes a version too.</p>
          <DifferenceText label="What changes" before={textOf(memory)} after={textOf(chosen)} />
        </ConfirmDialog>
      )}
    </>
  );
}

/** Writes what a version holds as one text, so that the comparison shows every difference. */
function textOf({ content, metadata, subjectKey }: Pick<MemoryVersion, 'content' | 'metadata' | 'subjectKey'>): string {
  const subject = subjectKey === undefined ? '' : `\nsubject: ${JSON.stringify(subjectKey)}`;
  const more = Object.entries(metadata)
    .map(([key, value]) => `\n${key}: ${JSON.stringify(value)}`)
    .join('');
  return `${content}${subject}${more}`;
}
