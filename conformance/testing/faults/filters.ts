import { type Fault, memories, on, overlooks, sending } from '../fault.js';

const RECENT = 'GET /api/memories/recent';
const SEARCH = 'POST /api/memories/search';

/** Ignores these keys of a JSON filter. */
const overlooksKeys = (...names: readonly string[]): Fault =>
  sending(({ query, body: sent }) => {
    const filter = JSON.parse(query.get('filter') ?? 'null') ?? sent.filter ?? {};
    for (const name of names) {
      delete filter[name];
      if (filter.match) delete filter.match[name];
    }
    if (query.has('filter')) query.set('filter', JSON.stringify(filter));
    if (sent.filter) sent.filter = filter;
  });
const overlooksBrackets: Fault = on(
  RECENT,
  sending(({ query }) => {
    for (const name of [...query.keys()]) if (name.startsWith('filter[')) query.delete(name);
  }),
);

/** Ignores these operators of a JSON filter. */
const overlooksOperators = (...names: readonly string[]): Fault =>
  sending(({ query, body: sent }) => {
    const filter = JSON.parse(query.get('filter') ?? 'null') ?? sent.filter ?? {};
    for (const [key, operators] of Object.entries<Record<string, unknown>>(filter.where ?? {})) {
      for (const name of names) delete operators[name];
      if (Object.keys(operators).length === 0) delete filter.where[key];
    }
    if (query.has('filter')) query.set('filter', JSON.stringify(filter));
    if (sent.filter) sent.filter = filter;
  });
/** Ignores the comparisons of one key. */
const overlooksComparisons = (key: string): Fault =>
  sending(({ query, body: sent }) => {
    const filter = JSON.parse(query.get('filter') ?? 'null') ?? sent.filter ?? {};
    if (filter.where) delete filter.where[key];
    if (query.has('filter')) query.set('filter', JSON.stringify(filter));
    if (sent.filter) sent.filter = filter;
  });

export const filterFaults: Readonly<Record<string, Fault>> = {
  'filter-by-agent-id': on(RECENT, overlooksKeys('agentId')),
  'filter-by-source': on(RECENT, overlooksKeys('source')),
  'filter-by-surface': on(RECENT, overlooksKeys('surface')),
  'filter-by-project': on(RECENT, overlooksKeys('project')),
  'filter-by-kind': on(RECENT, overlooksKeys('kind')),
  'filter-by-document-id': on(RECENT, overlooksKeys('documentId')),
  'filter-in-search': on(SEARCH, overlooksKeys('kind')),
  'filter-in-recent': on(RECENT, overlooksKeys('kind')),
  'filter-in-export': on('GET /api/memories/export', overlooksKeys('kind')),
  'filter-in-stats': on('GET /api/memories/stats', overlooksKeys('kind')),
  'filter-in-changes': on('GET /api/memories/changes', overlooksKeys('kind')),
  'filter-by-subject-key': on(SEARCH, overlooksKeys('subjectKey')),
  'filter-match-any-key': on(RECENT, overlooksKeys('team')),
  'filter-match-typed': on(RECENT, overlooksKeys('rank')),
  'filter-match-external-key': on(RECENT, overlooksKeys('externalKey')),
  'filter-all-must-hold': on(RECENT, overlooksKeys('match')),
  'filter-is-optional': on(
    RECENT,
    memories((list) => list.filter(({ metadata }) => (metadata as { kind?: string }).kind === undefined)),
  ),
  'filter-on-absent-key': on(RECENT, overlooksKeys('kind')),
  'filter-unknown-key-422': on(SEARCH, overlooksKeys('colour')),
  'filter-query-json': on(RECENT, overlooksKeys('done')),
  'filter-query-brackets': overlooksBrackets,
  'filter-query-brackets-subject': overlooksBrackets,
  'filter-query-broken-422': on(RECENT, overlooks('filter')),
  ...Object.fromEntries(
    ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists'].map((operator) => [
      `filter-where-${operator}`,
      on(RECENT, overlooksOperators(operator)),
    ]),
  ),
  'filter-where-strings': on(RECENT, overlooksOperators('lte')),
  'filter-where-all-must-hold': on(RECENT, overlooksOperators('ne')),
  'filter-where-created-at': on(RECENT, overlooksComparisons('createdAt')),
  'filter-where-updated-at': on(RECENT, overlooksComparisons('updatedAt')),
  'filter-where-before-ranking': on(
    SEARCH,
    sending(({ body: sent }) => {
      sent.filter = { ...(sent.filter as object), where: {} };
    }),
  ),
  'filter-where-invalid-422': on(SEARCH, overlooksComparisons('rank')),
  'filter-query-brackets-where': overlooksBrackets,
};
