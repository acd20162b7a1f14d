import { usePlace } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button, ButtonLink } from '../../kit/controls/button.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { Field, Input, Select } from '../../kit/controls/field.js';
import { Badge } from '../../kit/display/badge.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { Time } from '../../kit/display/time.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import { filterText, filterWords, parseFilter } from '../../kit/filter/conditions.js';
import { FilterEditor } from '../../kit/filter/filter-editor.js';
import { useFocusKeys } from '../../kit/keyboard/focus-keys.js';
import { type ChangeScope, type Entry, useChanges } from './change-source.js';
import styles from './changes-page.module.css';

/** Where the feed begins unless the address says otherwise. */
const FEED_DAYS = 7;
const DAY_MS = 86_400_000;

const VIEWS = [
  { value: 'latest', label: 'Newest first' },
  { value: 'feed', label: 'Change feed' },
];

const TONES = { created: 'success', updated: 'accent', deleted: 'danger', purged: 'neutral' } as const;

export function ChangesPage() {
  const [viewName, setView] = useQueryParam('view', 'latest');
  const [sinceText, setSince] = useQueryParam('since');
  const [until, setUntil] = useQueryParam('until');
  const [filterJson, setFilter] = useQueryParam('filter');
  const view = viewName === 'feed' ? 'feed' : 'latest';
  const since = sinceText || (view === 'feed' ? dayBefore(FEED_DAYS) : '');
  const filter = parseFilter(filterJson);
  const changes = useChanges({ view, since, until, filter });
  const isNarrowed = sinceText !== '' || until !== '' || filterJson !== '';
  return (
    <>
      <PageHeader
        title="Changes"
        description="The last change of each memory: created, updated, deleted or purged."
        actions={
          changes.data && (
            <Button busy={changes.isFetching} onClick={() => void changes.again()}>
              Read again
            </Button>
          )
        }
      />
      <div class={styles.page}>
        <div class={styles.controls}>
          <Field label="List">
            {(control) => (
              <Select
                {...control}
                options={VIEWS}
                value={view}
                onChange={(event) => setView(event.currentTarget.value)}
              />
            )}
          </Field>
          <DateField label="Since (UTC)" value={since} onChange={setSince} />
          {view === 'latest' && <DateField label="Before (UTC)" value={until} onChange={setUntil} />}
        </div>
        <details class={styles.filter} open={filterJson !== ''}>
          <summary>
            Filter <bdi class={styles.muted}>{filterWords(filter) || 'none'}</bdi>
          </summary>
          <div class={styles.editor}>
            <FilterEditor hidesTitle filter={filter} onChange={(changed) => setFilter(filterText(changed))} />
          </div>
        </details>
        {view === 'feed' && (
          <p class={styles.muted}>
            The feed is what your programs follow: oldest first, and with purged memories, unless a filter is set. Each
            page of it is one search of the month. The list “newest first” costs nothing.
          </p>
        )}
        {view === 'feed' && changes.data === undefined && !changes.isFetching && !changes.error ? (
          <EmptyState title="The feed is read on request" action={<ReadFeed onRead={() => void changes.refetch()} />}>
            <p>Nothing is read before you ask for it.</p>
          </EmptyState>
        ) : (
          <DataState
            query={changes}
            lines={8}
            empty={{
              when: ({ pages }) => pages.every(({ entries }) => entries.length === 0),
              show: <NoChanges isNarrowed={isNarrowed} />,
            }}
          >
            {() => <Entries changes={changes} />}
          </DataState>
        )}
      </div>
    </>
  );
}

function ReadFeed({ onRead }: { onRead: () => void }) {
  return (
    <Button look="primary" onClick={onRead}>
      Read the feed
    </Button>
  );
}

function NoChanges({ isNarrowed }: { isNarrowed: boolean }) {
  const { can, href } = usePlace();
  const command = <CodeBlock label="Store a memory" code={'memory add "Deploys run on Fridays."'} />;
  const all = <ButtonLink href={href('/changes')}>See all changes</ButtonLink>;
  return (
    <EmptyState title="No changes here" action={isNarrowed ? all : can('ingestMemory') && command}>
      <p>{isNarrowed ? 'Nothing that matches has changed in this time.' : 'Stored memories appear here.'}</p>
    </EmptyState>
  );
}

function DateField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <Field label={label}>
      {(control) => (
        <Input {...control} type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
    </Field>
  );
}

function Entries({ changes }: { changes: ReturnType<typeof useChanges> }) {
  const { entries, hasNextPage, isFetchingNextPage, fetchNextPage } = changes;
  const { href } = usePlace();
  const list = useFocusKeys<HTMLOListElement>({ count: entries.length, items: '[data-entry]' });
  return (
    <div>
      <ol ref={list} class={styles.list}>
        {entries.map((entry) => (
          <Row key={`${entry.id} ${entry.at}`} entry={entry} address={href(`/memories/${entry.id}`)} />
        ))}
      </ol>
      <LoadMore
        shown={entries.length === 1 ? '1 change' : `${entries.length} changes`}
        hasMore={hasNextPage}
        isLoading={isFetchingNextPage}
        onMore={() => void fetchNextPage()}
      />
    </div>
  );
}

function Row({ entry: { id, kind, at, content, metadata }, address }: { entry: Entry; address: string }) {
  const labels = ['kind', 'project', 'source'].flatMap((name) => {
    const value = metadata?.[name];
    return typeof value === 'string' ? [value] : [];
  });
  return (
    <li class={styles.row}>
      <span class={styles.kind}>
        <Badge tone={TONES[kind]}>{kind}</Badge>
      </span>
      <div class={styles.what}>
        {kind === 'purged' ? (
          <code class={styles.muted} data-entry tabIndex={-1}>
            {id}
          </code>
        ) : (
          <a class={styles.link} href={address} data-entry>
            {content === undefined ? <code>{id}</code> : <MemoryText text={content} oneLine />}
          </a>
        )}
        {labels.length > 0 && (
          <p class={styles.labels}>
            {labels.map((label) => (
              <bdi key={label}>{label}</bdi>
            ))}
          </p>
        )}
      </div>
      <span class={styles.time}>
        <Time value={at} />
      </span>
    </li>
  );
}

/** Returns a day before today, in UTC, as the service reads dates. */
function dayBefore(days: number): ChangeScope['since'] {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}
