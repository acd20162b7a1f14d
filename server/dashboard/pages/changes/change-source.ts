import type { BrowsedMemory, Change, Filter } from '@memory-service/sdk';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import { keyOf, usePlace } from '../../data/organization.js';
import { filterText } from '../../kit/filter/conditions.js';

/** The query of the page's list. */
export interface ChangeScope {
  /** `latest` lists memories by their last change, newest first. `feed` reads the change feed, oldest first. */
  view: 'latest' | 'feed';
  since: string;
  until: string;
  filter: Filter;
}

/** One row: the last change of a memory. */
export interface Entry {
  id: string;
  kind: 'created' | 'updated' | 'deleted' | 'purged';
  at: string;
  /** Absent for memories that the feed reports as deleted. */
  content?: string;
  metadata?: Readonly<Record<string, unknown>>;
}

interface EntryPage {
  entries: Entry[];
  nextCursor: string | undefined;
}

const PAGE_SIZE = 50;
const PREVIEW_LENGTH = 200;
/** The feed is metered, so what was read stays. */
const FEED_STAYS_MS = 30 * 60_000;

/**
 * Reads changes page by page. The feed starts only at `readFeed`, because each of its pages is a search of the month.
 */
export function useChanges(scope: ChangeScope) {
  const { client, organization } = usePlace();
  const queries = useQueryClient();
  const { view, since, until, filter } = scope;
  const isFeed = view === 'feed';
  const queryKey = keyOf(organization.id, isFeed ? 'feed' : 'memories', 'changes', since, until, filterText(filter));
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }): Promise<EntryPage> => {
      const range = { filter, limit: PAGE_SIZE, cursor };
      return isFeed
        ? client
            .changes({ ...range, since, includeDeleted: true }, { signal })
            .then(({ changes, meta, nextCursor }) => ({
              entries: changes.map(ofFeed),
              nextCursor: meta.hasMore ? nextCursor : undefined,
            }))
        : client.browse
            .list(
              {
                ...range,
                sort: 'updatedAt',
                includeDeleted: true,
                preview: PREVIEW_LENGTH,
                ...(since !== '' && { since }),
                ...(until !== '' && { until }),
              },
              { signal },
            )
            .then(({ memories, nextCursor }) => ({ entries: memories.map(ofMemory), nextCursor }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: !isFeed,
    ...(isFeed && { staleTime: Number.POSITIVE_INFINITY, gcTime: FEED_STAYS_MS }),
  });
  const again = () => {
    // Reading all pages again would cost a request for each.
    queries.setQueryData<InfiniteData<EntryPage>>(
      queryKey,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    return query.refetch();
  };
  return { ...query, again, entries: query.data?.pages.flatMap(({ entries }) => entries) ?? [] };
}

function ofMemory({ id, content, metadata, createdAt, updatedAt, deletedAt }: BrowsedMemory): Entry {
  const kind = deletedAt !== undefined ? 'deleted' : updatedAt === createdAt ? 'created' : 'updated';
  return { id, kind, at: updatedAt, content, metadata };
}

function ofFeed(change: Change): Entry {
  const { id, updatedAt: at } = change;
  if (change.change === 'deleted') return { id, kind: change.purgedAt === undefined ? 'deleted' : 'purged', at };
  return { id, kind: change.change, at, content: change.content, metadata: change.metadata };
}
