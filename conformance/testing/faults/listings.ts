import { answering, body, type Fault, memories, on, overlooks, refusal, sending, status } from '../fault.js';

const RECENT = 'GET /api/memories/recent';
const EXPORT = 'GET /api/memories/export';
const SIMILAR = 'GET /api/memories/*/similar';
const STATS = 'GET /api/memories/stats';
const SEARCH = 'POST /api/memories/search';
const VECTOR = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

const without = (name: string): Fault => memories((list) => list.map(({ [name]: _, ...others }) => others));
const backwards = memories((list) => [...list].reverse());
const withVectors = memories((list) => list.map((memory) => ({ ...memory, embedding: VECTOR })));
const drops = (count: number): Fault => memories((list) => list.slice(count));
const meta = (value: Record<string, unknown>): Fault =>
  body((json) => {
    json.meta = value;
  });
/** Clamps a number that is out of bounds. */
const clamps = (max: number): Fault =>
  sending(({ query, body: sent }) => {
    if (query.has('limit'))
      query.set('limit', String(Math.min(max, Math.max(1, Math.trunc(Number(query.get('limit')) || 1)))));
    if (sent.limit !== undefined) sent.limit = Math.min(max, Math.max(1, Number(sent.limit)));
  });
const facets = (change: (facets: Record<string, unknown>) => void): Fault =>
  body((json) => change(json.facets as Record<string, unknown>));
const byDefault = (name: string, value: unknown): Fault =>
  sending(({ query, body: sent, method }) => {
    if (method === 'GET' && !query.has(name)) query.set(name, String(value));
    if (method === 'POST') sent[name] ??= value;
  });

export const recentFaults: Readonly<Record<string, Fault>> = {
  'recent-newest-first': on(RECENT, backwards),
  'recent-is-read-your-writes': on(RECENT, drops(1)),
  'recent-meta-count': on(RECENT, meta({ count: 3 })),
  'recent-default-limit': on(RECENT, byDefault('limit', 10)),
  'recent-maximal-limit': on(RECENT, status(200, 422)),
  'recent-limit-out-of-bounds-422': on(RECENT, clamps(50)),
  'recent-records': on(RECENT, without('externalKey')),
  'recent-has-no-vector': on(RECENT, withVectors),
};

export const exportFaults: Readonly<Record<string, Fault>> = {
  'export-ndjson': on(
    EXPORT,
    answering(({ headers }) => headers.set('content-type', 'application/json')),
  ),
  'export-line-fields': on(EXPORT, without('externalKey')),
  'export-line-break-in-content': on(
    EXPORT,
    answering((returned) => {
      returned.text = returned.text.replaceAll('\\n', '\n');
    }),
  ),
  'export-oldest-first': on(EXPORT, backwards),
  'export-limit': on(EXPORT, overlooks('limit')),
  'export-default-limit': on(EXPORT, byDefault('limit', 50)),
  'export-maximal-limit': on(EXPORT, status(200, 422)),
  'export-limit-out-of-bounds-422': on(EXPORT, clamps(500)),
  'export-pages-are-whole': on(
    EXPORT,
    memories((list, { query }) => (query.has('cursor') ? list.slice(1) : list)),
  ),
  'export-last-page-has-no-cursor': on(
    EXPORT,
    answering(({ headers }) => headers.set('x-next-cursor', 'x')),
  ),
  'export-wrong-cursor-422': on(EXPORT, overlooks('cursor')),
  'export-empty': on(
    EXPORT,
    answering((returned) => {
      returned.text = '\n';
    }),
  ),
  'export-has-no-vector': on(EXPORT, withVectors),
};

export const statsFaults: Readonly<Record<string, Fault>> = {
  'stats-facets': on(
    STATS,
    facets((counted) => {
      counted.surface = [];
    }),
  ),
  'stats-counts': on(
    STATS,
    facets((counted) => {
      counted.kind = (counted.kind as object[]).map((facet) => ({ ...facet, count: 1 }));
    }),
  ),
  'stats-filtered': on(STATS, overlooks('filter')),
  'stats-total': on(STATS, meta({ total: 0, filtered: 0 })),
  'stats-by-subject': on(STATS, overlooks('filter')),
  'stats-facets-of-nothing': on(STATS, overlooks('filter')),
};

export const searchFaults: Readonly<Record<string, Fault>> = {
  'search-finds-by-text': on(SEARCH, drops(1)),
  'search-finds-by-meaning': on(SEARCH, backwards),
  'search-best-first': on(SEARCH, backwards),
  'search-read-your-writes': on(SEARCH, drops(1)),
  'search-limit': on(SEARCH, overlooks('limit')),
  'search-default-limit': on(SEARCH, byDefault('limit', 5)),
  'search-filter-before-ranking': on(SEARCH, overlooks('filter')),
  'search-min-score': on(SEARCH, overlooks('minScore')),
  'search-recency': on(SEARCH, overlooks('recencyWeight')),
  'search-query-is-required': on(
    SEARCH,
    sending(({ body: sent }) => {
      sent.query = String(sent.query || 'anything');
    }),
  ),
  'search-bounds-422': on(SEARCH, clamps(50)),
  'search-meta-count': on(SEARCH, meta({ count: 7, mode: 'vector' })),
  'search-by-keyword': on(SEARCH, drops(1)),
  'search-words-left-out': on(SEARCH, meta({ count: 1, mode: 'keyword', wordsLeftOut: true })),
  'search-exact': on(
    SEARCH,
    memories((list, { body: { exact } }) => (exact ? list.slice(1) : list)),
  ),
  'search-exact-keyword-422': on(SEARCH, overlooks('exact')),
  'search-explain': on(SEARCH, overlooks('explain')),
  'search-rerank': on(SEARCH, overlooks('rerank')),
  'search-group-by-document': on(SEARCH, overlooks('groupBy')),
  'search-group-limit': on(
    SEARCH,
    memories((list, { body: { groupBy } }) => (groupBy ? list.slice(0, 1) : list)),
  ),
  'search-diversity': on(SEARCH, overlooks('diversity')),
  'search-diversity-keyword-422': on(SEARCH, overlooks('diversity')),
  'search-relevance': on(SEARCH, without('relevance')),
  'search-min-relevance': on(SEARCH, overlooks('minRelevance')),
  'search-min-relevance-keyword-422': on(SEARCH, overlooks('minRelevance')),
  'search-has-no-vector': on(SEARCH, withVectors),
};

export const similarFaults: Readonly<Record<string, Fault>> = {
  'similar-by-meaning': on(SIMILAR, backwards),
  'similar-without-itself': on(
    SIMILAR,
    memories((list, { path }) => [{ ...list[0], id: path.split('/')[3] }, ...list]),
  ),
  'similar-filter': on(SIMILAR, overlooks('filter')),
  'similar-limit': on(SIMILAR, overlooks('limit')),
  'similar-soft-deleted': on(SIMILAR, overlooks('includeDeleted')),
  'similar-unknown-404': on(SIMILAR, status(404, 422)),
  'similar-foreign-404': on(
    SIMILAR,
    refusal((json) => {
      json.error = 'This memory belongs to somebody else';
    }),
  ),
};
