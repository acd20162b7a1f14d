import type { CallOptions, Filter, Memory, MemoryClient, SubjectKey } from '@memory-service/sdk';
import { ArgumentError, integer } from '../arguments.js';
import { compose } from '../context/compose.js';
import { isObject } from '../json-schema.js';
import { DEFAULT_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS, MIN_CONTEXT_TOKENS } from '../size.js';
import { defineTool, READS } from './define.js';

/** How many memories are considered, both of the relevant and of the newest. */
const CONSIDERED = 20;
/** The border of relevant memories is about 0.5; a little less keeps those on it. */
const MIN_RELEVANCE = 0.4;

const NOTHING = 'Nothing is known about this yet.';

interface ContextInput {
  query?: string;
  subjectKey?: SubjectKey;
  filter?: Filter;
  maxTokens?: unknown;
}

export const memoryContext = defineTool<ContextInput>({
  name: 'memory_context',
  title: 'Get context for a prompt',
  description:
    'Get what is known for a conversation or task, relevant and newest, as one text for your prompt. Use it first, ' +
    'once; later, search.',
  operationId: 'searchMemories',
  also: ['listRecentMemories'],
  takes: ['query', 'filter'],
  hints: READS,
  binds: 'filter',
  extra: { subjectKey: { type: ['integer', 'string'] }, maxTokens: { type: 'integer' } },
  output: { text: { type: 'string' }, memoryIds: { type: 'array' } },
  run: async (client, input, options) => {
    const maxTokens = integer(
      'maxTokens',
      input.maxTokens,
      DEFAULT_CONTEXT_TOKENS,
      MIN_CONTEXT_TOKENS,
      MAX_CONTEXT_TOKENS,
    );
    const { relevant, recent } = await collect(client, input, options);
    const composed = compose(
      [
        { heading: 'Relevant memories:', memories: relevant },
        { heading: 'Newest memories:', memories: recent },
      ],
      maxTokens,
    );
    return composed.text === '' ? { ...composed, text: NOTHING } : composed;
  },
  text: ({ text }) => String(text),
});

/** Searches and lists at the same time. A memory counts once. Chunks of documents are found, but not listed as new. */
async function collect(
  client: MemoryClient,
  { query, ...input }: ContextInput,
  options: CallOptions,
): Promise<{ relevant: Memory[]; recent: Memory[] }> {
  const filter = filterOf(input);
  const [found, newest] = await Promise.all([
    query === undefined
      ? { results: [] }
      : client.search({ query, filter, limit: CONSIDERED, mode: 'hybrid', minRelevance: MIN_RELEVANCE }, options),
    client.recent({ filter, limit: CONSIDERED }, options),
  ]);
  const relevantIds = new Set(found.results.map(({ id }) => id));
  const recent = newest.results.filter(({ id, metadata }) => !relevantIds.has(id) && metadata.documentId === undefined);
  return { relevant: found.results, recent };
}

function filterOf({ filter, subjectKey }: Pick<ContextInput, 'filter' | 'subjectKey'>): Filter | undefined {
  if (subjectKey === undefined) return filter;
  if (filter === undefined) return { subjectKey };
  if (!isObject(filter)) throw new ArgumentError('filter', 'must be an object');
  if (filter.subjectKey !== undefined && filter.subjectKey !== subjectKey) {
    throw new ArgumentError('subjectKey', 'must equal filter.subjectKey: send one of them');
  }
  return { ...filter, subjectKey };
}
