import type { BrowsedMemory } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useRead, useWrite } from '../../../data/organization.js';
import { Button } from '../../../kit/controls/button.js';
import { ConfirmDialog } from '../../../kit/feedback/confirm-dialog.js';
import { useToast } from '../../../kit/feedback/toast.js';
import { useListChanges, useOldest, WRITTEN } from '../memory-list.js';
import type { View } from '../view.js';
import styles from './bulk-bar.module.css';

/** The most ids of one request. */
const IDS_OF_A_REQUEST = 1_000;

const number = new Intl.NumberFormat('en');

interface BulkBarProps {
  chosen: ReadonlySet<string>;
  view: View;
  rows: readonly BrowsedMemory[];
  onChoose: (ids: ReadonlySet<string>) => void;
}

/** What can be done with the selected memories, or with all that match the filter. */
export function BulkBar({ chosen, view, rows, onChoose }: BulkBarProps) {
  const [deleting, setDeleting] = useState<'chosen' | 'matching'>();
  const matching = useMatching(view);
  const { restart } = useListChanges();
  const toast = useToast();
  const remove = useWrite(
    async (client, what: 'chosen' | 'matching') => {
      let deleted = 0;
      if (what === 'matching') {
        for (let remaining = matching ?? 0; remaining > 0; ) {
          const done = await client.deleteMany({ filter: view.filter, expectedCount: remaining });
          deleted += done.deleted;
          remaining = done.remaining;
        }
        return deleted;
      }
      const ids = [...chosen];
      for (let at = 0; at < ids.length; at += IDS_OF_A_REQUEST) {
        deleted += (await client.deleteMany({ ids: ids.slice(at, at + IDS_OF_A_REQUEST) })).deleted;
      }
      return deleted;
    },
    {
      subjects: WRITTEN,
      onDone: (deleted) => {
        onChoose(new Set());
        void restart();
        toast({ text: `${count(deleted)} deleted` });
      },
    },
  );
  const active = rows.filter(({ deletedAt }) => deletedAt === undefined);
  const size = deleting === 'matching' ? (matching ?? 0) : chosen.size;
  return (
    <section class={styles.bar} aria-label="Selected memories">
      <span role="status">{number.format(chosen.size)} selected</span>
      {chosen.size < active.length && (
        <Button look="quiet" onClick={() => onChoose(new Set(active.map(({ id }) => id)))}>
          Select {number.format(active.length)} shown
        </Button>
      )}
      <Button look="quiet" onClick={() => onChoose(new Set())}>
        Clear
      </Button>
      <span class={styles.space} />
      {matching !== undefined && matching > chosen.size && (
        <Button look="danger" onClick={() => setDeleting('matching')}>
          Delete all {number.format(matching)} that match
        </Button>
      )}
      <Button look="danger" onClick={() => setDeleting('chosen')}>
        Delete {number.format(chosen.size)}
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
  return `${number.format(memories)} ${memories === 1 ? 'memory' : 'memories'}`;
}
