import type { DocumentSummary, SubjectKey } from '@memory-service/sdk';
import { useInfiniteQuery } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { keyOf, usePlace } from '../../data/organization.js';
import { ButtonLink } from '../../kit/controls/button.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { type Column, Table } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import { addressOf, Chunks, type DocumentName, sizeOf } from './document-parts.js';
import { DocumentReader } from './document-reader.js';
import styles from './documents-page.module.css';

/** Listing is metered like a search, so it is not repeated at each visit. */
const LISTED_FOR_MS = 10 * 60_000;

export function DocumentsPage() {
  const open = useOpenDocument();
  return open ? <DocumentReader key={JSON.stringify(open)} {...open} /> : <DocumentList />;
}

function DocumentList() {
  const { client, organization } = usePlace();
  const query = useInfiniteQuery({
    queryKey: keyOf(organization.id, 'documents', 'list'),
    queryFn: async ({ pageParam, signal }) =>
      client.documents.list(pageParam === '' ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: LISTED_FOR_MS,
    refetchOnReconnect: false,
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ documents }) => documents) ?? [], [query.data]);
  return (
    <>
      <PageHeader
        title="Documents"
        description="Memories that are chunks of one text. Each page of the list, and each part that you read, counts as one search."
      />
      <DataState query={query} empty={{ when: () => rows.length === 0, show: <Nothing /> }}>
        {() => (
          <>
            <Table
              caption="Documents"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ documentId, subjectKey }) => JSON.stringify([documentId, subjectKey])}
            />
            <LoadMore
              shown={`${rows.length} shown`}
              hasMore={query.hasNextPage}
              isLoading={query.isFetchingNextPage}
              onMore={() => void query.fetchNextPage()}
            />
          </>
        )}
      </DataState>
    </>
  );
}

const COLUMNS: readonly Column<DocumentSummary>[] = [
  { title: 'Document', cell: (row) => <Name {...row} /> },
  { title: 'Chunks', cell: (row) => <Chunks {...row} /> },
  { title: 'Size', align: 'end', wideOnly: true, cell: ({ bytes }) => sizeOf(bytes) },
  { title: 'Updated', align: 'end', wideOnly: true, cell: ({ updatedAt }) => <Time value={updatedAt} /> },
];

function Name({ documentId, subjectKey }: DocumentName) {
  const { href } = usePlace();
  return (
    <>
      <a href={href(addressOf({ documentId, ...(subjectKey !== undefined && { subjectKey }) }))} class={styles.name}>
        <MemoryText text={documentId} />
      </a>
      {subjectKey !== undefined && (
        <p class={styles.muted}>
          about <MemoryText text={String(subjectKey)} />
        </p>
      )}
    </>
  );
}

function Nothing() {
  const { can, href } = usePlace();
  const command = (
    <CodeBlock
      label="Store a chunk"
      code={'memory add "Chapter one." -m documentId=guide -m chunkIndex:=0 -m chunkTotal:=1'}
    />
  );
  const action = can('ingestMemory') ? command : <ButtonLink href={href('/memories')}>Show the memories</ButtonLink>;
  return (
    <EmptyState title="No documents yet" action={action}>
      <p>A memory belongs to a document if its metadata has documentId, chunkIndex and chunkTotal.</p>
    </EmptyState>
  );
}

function useOpenDocument(): DocumentName | undefined {
  const { document, subject } = useLocation().query;
  return useMemo(() => {
    if (document === undefined) return undefined;
    const subjectKey = subject === undefined ? undefined : readSubject(subject);
    return { documentId: document, ...(subjectKey !== undefined && { subjectKey }) };
  }, [document, subject]);
}

function readSubject(text: string): SubjectKey | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}
