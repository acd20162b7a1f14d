import type { ChangesQuery, ReadQuery, RecentQuery, SearchRequest, StatsQuery } from '@memory-service/sdk';
import { MAX_CHARS } from '../size.js';
import { defineTool, READS } from './define.js';

export const memorySearch = defineTool<SearchRequest>({
  name: 'memory_search',
  title: 'Search memories',
  description:
    'Search memories by meaning. Use it before you answer from memory, and before you store a fact that may exist already. ' +
    'Best matches first; long contents are cut: read one with memory_get. If meta has wordsLeftOut, use fewer words.',
  operationId: 'searchMemories',
  without: ['explain', 'groupBy', 'diversity', 'minRelevance'],
  hints: READS,
  extra: { maxChars: MAX_CHARS },
  run: (client, search, options) => client.search(search, options),
});

export const memoryGet = defineTool<ReadQuery & { id: string }>({
  name: 'memory_get',
  title: 'Read a memory',
  description: 'Read one memory by its id. Use it when another tool cut its content.',
  operationId: 'getMemory',
  hints: READS,
  extra: {
    maxChars: MAX_CHARS,
    offset: {
      type: 'integer',
      minimum: 0,
      description: 'Where in the content to start: the previous nextOffset.',
    },
  },
  run: (client, { id, includeDeleted }, options) => client.get(id, { includeDeleted }, options),
});

export const memoryRecent = defineTool<RecentQuery>({
  name: 'memory_recent',
  title: 'List new memories',
  description:
    'List the newest memories. Use it to catch up at the start of a conversation; to find something, search.',
  operationId: 'listRecentMemories',
  hints: READS,
  extra: { maxChars: MAX_CHARS },
  run: (client, query, options) => client.recent(query, options),
});

export const memoryStats = defineTool<StatsQuery>({
  name: 'memory_stats',
  title: 'Count memories',
  description:
    'Count memories by agentId, source, surface, project and kind. Use it to learn what is stored and which filters ' +
    'make sense.',
  operationId: 'getMemoryStats',
  hints: READS,
  run: (client, query, options) => client.stats(query, options),
});

export const memoryChanges = defineTool<ChangesQuery>({
  name: 'memory_changes',
  title: 'Follow changes',
  description:
    'List memories created, changed or (with includeDeleted) deleted since a time, oldest first. Use it to stay up to ' +
    'date; continue with nextCursor.',
  operationId: 'listMemoryChanges',
  hints: READS,
  extra: { maxChars: MAX_CHARS },
  run: (client, query, options) => client.changes(query, options),
});

export const serviceHealth = defineTool<Record<string, never>>({
  name: 'service_health',
  title: 'Check the service',
  description: 'Check if the memory service works. Use it when other tools fail.',
  operationId: 'getReadiness',
  hints: READS,
  run: (client, _nothing, options) => client.health.ready(options),
});
