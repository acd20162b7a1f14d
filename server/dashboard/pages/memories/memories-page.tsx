import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { usePlace } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { Select } from '../../kit/controls/field.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { useListKeys } from '../../kit/keyboard/list-keys.js';
import { AddMemory } from './detail/add-memory.js';
import { MemoryDetail } from './detail/memory-detail.js';
import { BulkBar } from './list/bulk-bar.js';
import { ActiveFilters, FilterPanel } from './list/filters.js';
import { Histogram } from './list/histogram.js';
import { MemoryRows } from './list/memory-rows.js';
import styles from './memories-page.module.css';
import { type MemoryList, useListChanges, useMemoryList, useNewer } from './memory-list.js';
import { isNarrowed, type Sort, useView, type View } from './view.js';

const SORTS: readonly { value: Sort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'changed', label: 'Last changed first' },
];

export function MemoriesPage() {
  const { can } = usePlace();
  const { memoryId: openId } = useRoute().params;
  const { route } = useLocation();
  const { view, change, addressOf } = useView();
  const list = useMemoryList(view);
  const { rows } = list;
  const newer = useNewer(view, list);
  const { restart } = useListChanges();
  const [current, setCurrent] = useState(openId);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isFiltering, setIsFiltering] = useState(false);
  const [isAdding, setIsAdding] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (openId !== undefined) setCurrent(openId);
  }, [openId]);
  useEffect(() => setChosen(new Set()), [view]);
  const close = () => route(addressOf());
  useListKeys({
    count: rows.length,
    selected: rows.findIndex(({ id }) => id === current),
    onSelect: (at) => {
      setCurrent(rows[at]?.id);
      if (openId !== undefined) route(addressOf(rows[at]?.id), true);
    },
    onOpen: (at) => route(addressOf(rows[at]?.id)),
    onClose: () => {
      if (openId !== undefined) close();
      else if (chosen.size > 0) setChosen(new Set());
      else setCurrent(undefined);
    },
  });
  const choose = useCallback((id: string, isChosen: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      if (isChosen) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  // Not rendered again when a page of the list arrives: the plot has many bars.
  const plot = useMemo(() => <Histogram view={view} change={change} />, [view, change]);
  const showNewer = () => {
    scroller.current?.scrollTo(0, 0);
    void restart();
  };

  return (
    <div class={`${styles.page} ${openId === undefined ? '' : styles.isOpen}`}>
      <div ref={scroller} class={styles.scroller}>
        <div ref={head}>
          <PageHeader
            title="Memories"
            actions={
              can('ingestMemory') && (
                <Button look="primary" onClick={() => setIsAdding(true)}>
                  Add a memory
                </Button>
              )
            }
          />
          <div class={styles.toolbar}>
            <Button aria-expanded={isFiltering} onClick={() => setIsFiltering(!isFiltering)}>
              Filters
            </Button>
            <Button aria-pressed={view.onlyDeleted} onClick={() => change({ onlyDeleted: !view.onlyDeleted })}>
              Deleted
            </Button>
            <div class={styles.sort}>
              <Select
                aria-label="Order"
                options={SORTS}
                value={view.sort}
                onChange={(event) =>
                  change({ sort: SORTS.find(({ value }) => value === event.currentTarget.value)?.value ?? 'newest' })
                }
              />
            </div>
          </div>
          {isFiltering && <FilterPanel view={view} change={change} />}
          <ActiveFilters view={view} change={change} />
          {plot}
        </div>
        <div class={styles.pill} role="status">
          {newer > 0 && (
            <Button look="primary" onClick={showNewer}>
              {newer} new
            </Button>
          )}
        </div>
        <DataState
          query={firstPageOf(list)}
          lines={8}
          empty={{
            when: ({ pages }) => pages.every(({ memories }) => memories.length === 0),
            show: (
              <Nothing
                view={view}
                onClear={() => change(EVERYTHING)}
                onAdd={() => setIsAdding(true)}
                onRead={restart}
              />
            ),
          }}
        >
          {() => (
            <MemoryRows
              list={list}
              current={current}
              takesFocus={openId === undefined}
              byChange={view.sort === 'changed'}
              chosen={chosen}
              onChoose={choose}
              addressOf={addressOf}
              scroller={scroller}
              head={head}
            />
          )}
        </DataState>
        {chosen.size > 0 && <BulkBar chosen={chosen} view={view} rows={rows} onChoose={setChosen} />}
      </div>
      {openId !== undefined && (
        <MemoryDetail
          key={openId}
          id={openId}
          listed={rows.find(({ id }) => id === openId)}
          onClose={close}
          addressOf={addressOf}
          onFilter={(filter) => change({ filter }, true)}
        />
      )}
      {isAdding && (
        <AddMemory
          onClose={() => setIsAdding(false)}
          onAdded={(id) => {
            setIsAdding(false);
            void restart();
            route(addressOf(id));
          }}
        />
      )}
    </div>
  );
}

/** The state of the first page alone. Failures of later pages belong below their rows. */
function firstPageOf({ query: { data, error, failureReason, isFetching, isPaused, refetch } }: MemoryList) {
  if (data) return { data, error: null, failureReason: null, isFetching, isPaused: false, refetch };
  return { data, error, failureReason, isFetching, isPaused, refetch };
}

const EVERYTHING: Partial<View> = { filter: {}, since: '', until: '', onlyDeleted: false };

interface NothingProps {
  view: View;
  onClear: () => void;
  onAdd: () => void;
  onRead: () => void;
}

function Nothing({ view, onClear, onAdd, onRead }: NothingProps) {
  const { can } = usePlace();
  if (isNarrowed(view)) {
    return (
      <EmptyState title="No memory matches" action={<Button onClick={onClear}>Clear all filters</Button>}>
        <p>No memory matches all filters at once.</p>
      </EmptyState>
    );
  }
  const action = can('ingestMemory') ? (
    <Button onClick={onAdd}>Add the first memory</Button>
  ) : (
    <Button onClick={onRead}>Check again</Button>
  );
  return (
    <EmptyState title="Nothing is stored yet" action={action}>
      <p>Memories appear here as soon as a client stores them.</p>
    </EmptyState>
  );
}
