import type { BrowsedMemory, Filter, Memory, WrittenMemory } from '@memory-service/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePlace, useRead, useWrite } from '../../../data/organization.js';
import { useQueryParam } from '../../../kit/browser/query-param.js';
import { Button } from '../../../kit/controls/button.js';
import { CodeBlock } from '../../../kit/controls/copy.js';
import { Tabs } from '../../../kit/controls/tabs.js';
import { Badge } from '../../../kit/display/badge.js';
import { ConfirmDialog } from '../../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../../kit/feedback/data-state.js';
import { FailureNotice } from '../../../kit/feedback/failure-notice.js';
import { useToast } from '../../../kit/feedback/toast.js';
import { memoryOf, useListChanges, WRITTEN } from '../memory-list.js';
import { EditMemory } from './edit-memory.js';
import styles from './memory-detail.module.css';
import { MemoryRecord } from './record.js';
import { SimilarMemories } from './similar-memories.js';
import { Trail } from './trail.js';
import { Versions } from './versions.js';

interface MemoryDetailProps {
  id: string;
  /** The memory as the list has it. */
  listed: BrowsedMemory | undefined;
  onClose: () => void;
  addressOf: (id: string) => string;
  onFilter: (filter: Filter) => void;
}

/** A memory beside the list, or in place of the list on a narrow screen. */
export function MemoryDetail({ id, listed, onClose, addressOf, onFilter }: MemoryDetailProps) {
  const panel = useRef<HTMLElement>(null);
  const whole = listed && !listed.truncated ? memoryOf(listed) : undefined;
  const read = useRead(['memory', id], (client, options) => client.get(id, { includeDeleted: true }, options), {
    enabled: whole === undefined,
  });
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <aside ref={panel} class={styles.detail} aria-label="Memory" tabIndex={-1}>
      <h1 class={styles.pageTitle}>Memory</h1>
      <header class={styles.header}>
        <h2 class={styles.title}>Memory</h2>
        <Button look="quiet" onClick={onClose}>
          <span class={styles.back}>← All memories</span>
          <span class={styles.close} aria-hidden="true">
            ✕
          </span>
          <span class="visually-hidden">Close</span>
        </Button>
      </header>
      {whole ? (
        <Found memory={whole} addressOf={addressOf} onFilter={onFilter} onClose={onClose} />
      ) : (
        <DataState query={read} lines={6}>
          {(memory) => <Found memory={memory} addressOf={addressOf} onFilter={onFilter} onClose={onClose} />}
        </DataState>
      )}
    </aside>
  );
}

type FoundProps = Pick<MemoryDetailProps, 'addressOf' | 'onFilter' | 'onClose'> & { memory: Memory };

function Found({ memory, addressOf, onFilter, onClose }: FoundProps) {
  const { can } = usePlace();
  const [tab, setTab] = useQueryParam('tab', 'memory');
  const { replace } = useListChanges();
  const keep = (written: WrittenMemory) => replace(memoryOf(written));
  const isDeleted = memory.deletedAt !== undefined;
  const tabs = [
    { key: 'memory', title: 'Memory', content: () => <MemoryRecord memory={memory} onFilter={onFilter} /> },
    {
      key: 'versions',
      title: 'Versions',
      content: () => <Versions memory={memory} onRestored={keep} />,
    },
    ...(isDeleted
      ? []
      : [
          {
            key: 'similar',
            title: 'Similar',
            content: () => <SimilarMemories id={memory.id} addressOf={addressOf} />,
          },
        ]),
    ...(can('listAuditEvents') ? [{ key: 'audit', title: 'Audit', content: () => <Trail id={memory.id} /> }] : []),
    {
      key: 'json',
      title: 'JSON',
      content: () => <CodeBlock label="Memory as JSON" code={JSON.stringify(memory, null, 2)} />,
    },
  ];
  return (
    <>
      <Actions memory={memory} onSaved={keep} onPurged={onClose} />
      <Tabs label="Parts of the memory" tabs={tabs} selected={tab} onSelect={(key) => setTab(key)} />
    </>
  );
}

interface ActionsProps {
  memory: Memory;
  onSaved: (memory: WrittenMemory) => void;
  onPurged: () => void;
}

function Actions({ memory, onSaved, onPurged }: ActionsProps) {
  const { id, deletedAt } = memory;
  const { can } = usePlace();
  const [open, setOpen] = useState<'edit' | 'purge'>();
  const toast = useToast();
  const { replace, remove: removeRow } = useListChanges();
  const restore = useWrite((client) => client.restore(id), {
    subjects: WRITTEN,
    onDone: (restored) => {
      replace(restored);
      toast({ text: 'Restored' });
    },
  });
  const remove = useWrite(
    async (client) => {
      await client.delete(id);
      return client.get(id, { includeDeleted: true });
    },
    {
      subjects: WRITTEN,
      onDone: (deleted) => {
        replace(deleted);
        toast({ text: 'Deleted', undo: () => restore.mutate(undefined) });
      },
    },
  );
  const purge = useWrite((client) => client.purge(id), {
    subjects: WRITTEN,
    onDone: () => {
      toast({ text: 'Purged' });
      removeRow(id);
      onPurged();
    },
  });
  const error = remove.error ?? restore.error;
  return (
    <div class={styles.actions}>
      {deletedAt !== undefined && <Badge tone="danger">Deleted</Badge>}
      {deletedAt === undefined && can('updateMemory') && <Button onClick={() => setOpen('edit')}>Edit</Button>}
      {deletedAt === undefined && can('deleteMemory') && (
        <Button busy={remove.isPending} onClick={() => remove.mutate(undefined)}>
          Delete
        </Button>
      )}
      {deletedAt !== undefined && can('restoreMemory') && (
        <Button busy={restore.isPending} onClick={() => restore.mutate(undefined)}>
          Restore
        </Button>
      )}
      {deletedAt !== undefined && can('purgeMemory') && (
        <Button look="danger" onClick={() => setOpen('purge')}>
          Purge
        </Button>
      )}
      {error && <FailureNotice error={error} />}
      {open === 'edit' && (
        <EditMemory
          memory={memory}
          onClose={() => setOpen(undefined)}
          onSaved={(written) => {
            setOpen(undefined);
            onSaved(written);
            toast({ text: 'Saved' });
          }}
        />
      )}
      {open === 'purge' && (
        <ConfirmDialog
          title="Purge the memory"
          confirmLabel="Purge"
          typed="purge"
          onConfirm={() => purge.mutateAsync(undefined)}
          onClose={() => setOpen(undefined)}
        >
          Its content, metadata and versions are removed for good. It cannot be restored.
        </ConfirmDialog>
      )}
    </div>
  );
}
