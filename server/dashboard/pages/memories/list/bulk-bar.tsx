import type { BrowsedMemory, MemoryClient } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useRead, useWrite } from '../../../data/organization.js';
import { Button } from '../../../kit/controls/button.js';
import { ConfirmDialog } from '../../../kit/feedback/confirm-dialog.js';
import { toFailure } from '../../../kit/feedback/failure.js';
import { useToast } from '../../../kit/feedback/toast.js';
import { numberText } from '../../../kit/text/number-text.js';
import { useListChanges, useOldest, WRITTEN } from '../memory-list.js';
import type { View } from '../view.js';
import styles from './bulk-bar.module.css';

/** The most ids of one request. */
const IDS_OF_A_REQUEST = 1_000;

/** The most memories that can be restored at once. Each is a request, and the service limits those of a minute. */
const MAX_UNDONE = 20;

interface BulkBarProps {
  chosen: ReadonlySet<string>;
  view: View;
  rows: readonly BrowsedMemory[];
  onChoose: (ids: ReadonlySet<string>) => void;
}

/** Actions on the selected memories, or on all that match the filter. */
export function BulkBar({ chosen, view, rows, onChoose }: BulkBarProps) {
  const [deleting, setDeleting] = useState<'chosen' | 'matching'>();
  const matching = useMatching(view);
  const { restart } = useListChanges();
  const toast = useToast();
  const restore = useRestore();
  const remove = useWrite(
    (client, what: 'chosen' | 'matching') =>
      what === 'matching' ? deleteMatching(client, view, matching ?? 0) : deleteChosen(client, [...chosen]),
    {
      subjects: WRITTEN,
      onDone: ({ deleted, ids }) => {
        onChoose(new Set());
        void restart();
        const text = `${count(deleted)} deleted`;
        if (ids.length > 0 && ids.length <= MAX_UNDONE) toast({ text, undo: () => restore.mutate(ids) });
        else toast({ text: `${text}. They are under “Deleted”` });
      },
    },
  );
  const active = rows.filter(({ deletedAt }) => deletedAt === undefined);
  const size = deleting === 'matching' ? (matching ?? 0) : chosen.size;
  return (
    <section class={styles.bar} aria-label="Selected memories">
      <span role="status">{numberText(chosen.size)} selected</span>
      {chosen.size < active.length && (
        <Button look="quiet" onClick={() => onChoose(new Set(active.map(({ id }) => id)))}>
          Select {numberText(active.length)} shown
        </Button>
      )}
      <Button look="quiet" onClick={() => onChoose(new Set())}>
        Clear
      </Button>
      <span class={styles.space} />
      {matching !== undefined && matching > chosen.size && (
        <Button look="danger" onClick={() => setDeleting('matching')}>
          Delete all {numberText(matching)} that match
        </Button>
      )}
      <Button look="danger" onClick={() => setDeleting('chosen')}>
        Delete {numberText(chosen.size)}
      </Button>
      {deleting && (
        <ConfirmDialog
          title={`Delete ${count(size)}`}
          confirmLabel={`Delete ${count(size)}`}
          typed={String(size)}
          onConfirm={() => remove.mutateAsync(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          Searches no longer find them. Each stays among the deleted memories, where it can be restored.
        </ConfirmDialog>
      )}
    </section>
  );
}

interface Removal {
  deleted: number;
  /** Ids of the deleted memories; empty if there are too many to restore. */
  ids: readonly string[];
}

async function deleteChosen(client: MemoryClient, ids: readonly string[]): Promise<Removal> {
  let deleted = 0;
  const missing = new Set<string>();
  for (let at = 0; at < ids.length; at += IDS_OF_A_REQUEST) {
    const done = await client.deleteMany({ ids: ids.slice(at, at + IDS_OF_A_REQUEST) });
    deleted += done.deleted;
    for (const id of done.missing) missing.add(id);
  }
  return { deleted, ids: ids.filter((id) => !missing.has(id)) };
}

async function deleteMatching(client: MemoryClient, { filter }: View, matching: number): Promise<Removal> {
  const isUndoable = matching <= MAX_UNDONE;
  const listed = isUndoable ? (await client.browse.list({ filter, limit: MAX_UNDONE, preview: 1 })).memories : [];
  let deleted = 0;
  for (let remaining = matching; remaining > 0; ) {
    const done = await client.deleteMany({ filter, expectedCount: remaining });
    deleted += done.deleted;
    remaining = done.remaining;
  }
  return { deleted, ids: listed.map(({ id }) => id) };
}

/** Restores deleted memories, each in a request of its own. */
function useRestore() {
  const { restart } = useListChanges();
  const toast = useToast();
  return useWrite(
    async (client, ids: readonly string[]) => {
      const failures: unknown[] = [];
      for (const id of ids) await client.restore(id).catch((error: unknown) => failures.push(error));
      return failures;
    },
    {
      subjects: WRITTEN,
      onDone: (failures, ids) => {
        void restart();
        const text = `${count(ids.length - failures.length)} restored`;
        const [first] = failures;
        if (failures.length === 0) toast({ text });
        else toast({ text: `${text}, ${numberText(failures.length)} not: ${toFailure(first).title}` });
      },
    },
  );
}

/** Counts what the filter matches. Undefined unless the view is a filter alone, which is what the service deletes by. */
function useMatching({ filter, since, until, onlyDeleted }: View): number | undefined {
  const { data: oldest } = useOldest();
  const isFilterAlone = Object.keys(filter).length > 0 && since === '' && until === '' && !onlyDeleted;
  const counted = useRead(
    ['counts', 'matching', filter],
    (client, options) => client.browse.count({ filter, interval: 'month', since: oldest ?? '' }, options),
    { enabled: isFilterAlone && oldest !== undefined },
  );
  return isFilterAlone ? counted.data?.meta.count : undefined;
}

function count(memories: number): string {
  return `${numberText(memories)} ${memories === 1 ? 'memory' : 'memories'}`;
}
