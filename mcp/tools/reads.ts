import type { ChangesQuery, ReadQuery, RecentQuery, SearchRequest, StatsQuery } from '@memory-service/sdk';
import { defineTool, READS } from './define.js';
import { changesText, countsText, foundText, healthText, memoryText, recentText } from './texts.js';

const MAX_CHARS = { maxChars: { type: 'integer' } };

export const memorySearch = defineTool<SearchRequest>({
  name: 'memory_search',
  title: 'Search memories',
  description:
    'Find memories by meaning, best first. Use it before you answer from memory, and before you store, correct or ' +
    'delete something.',
  operationId: 'searchMemories',
  hints: READS,
  binds: 'filter',
  extra: MAX_CHARS,
  output: { results: { type: 'array' }, meta: { type: 'object' } },
  run: (client, search, options) => client.search(search, options),
  text: foundText,
});

export const memoryGet = defineTool<ReadQuery & { id: string }>({
  name: 'memory_get',
  title: 'Read a memory',
  description: 'Read one memory in full. Use it if another result cut it, or for its labels.',
  operationId: 'getMemory',
  hints: READS,
  binds: 'read',
  extra: { ...MAX_CHARS, offset: { type: 'integer' } },
  output: { id: { type: 'string' }, content: { type: 'string' }, nextOffset: { type: 'integer' } },
  run: (client, { id, includeDeleted }, options) => client.get(id, { includeDeleted }, options),
  text: memoryText,
});

export const memoryRecent = defineTool<RecentQuery>({
  name: 'memory_recent',
  title: 'List new memories',
  description: 'List the newest memories. Use it to catch up; to find something, use memory_search.',
  operationId: 'listRecentMemories',
  hints: READS,
  binds: 'filter',
  extra: MAX_CHARS,
  output: { results: { type: 'array' } },
  run: (client, query, options) => client.recent(query, options),
  text: recentText,
});

export const memoryStats = defineTool<StatsQuery>({
  name: 'memory_stats',
  title: 'Count memories',
  description: 'Count memories by agentId, source, surface, project and kind. Use it to learn what is stored.',
  operationId: 'getMemoryStats',
  hints: READS,
  binds: 'filter',
  output: { facets: { type: 'object' }, meta: { type: 'object' } },
  run: (client, query, options) => client.stats(query, options),
  text: countsText,
});

export const memoryChanges = defineTool<ChangesQuery>({
  name: 'memory_changes',
  title: 'Follow changes',
  description:
    'List memories created, changed or (with includeDeleted) deleted since a time, oldest first. Use it to stay up to ' +
    'date.',
  operationId: 'listMemoryChanges',
  hints: READS,
  binds: 'filter',
  extra: MAX_CHARS,
  output: { changes: { type: 'array' }, nextCursor: { type: 'string' } },
  run: (client, query, options) => client.changes(query, options),
  text: changesText,
});

export const serviceHealth = defineTool<Record<string, never>>({
  name: 'service_health',
  title: 'Check the service',
  description: 'Check if the memory service works. Use it when other tools fail.',
  operationId: 'getReadiness',
  hints: READS,
  binds: 'nothing',
  output: { status: { type: 'string' } },
  run: (client, _nothing, options) => client.health.ready(options),
  text: healthText,
});
