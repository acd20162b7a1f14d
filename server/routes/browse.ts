import { parseTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type {
  BooleanInput,
  CountMemoriesData,
  CountMemoriesResponses,
  ListMemoriesData,
  ListMemoriesResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { isTrue } from '../http/request/body/boolean-input.js';
import { toReadScope } from '../http/request/caller/read-scope.js';
import { presentHistogram, presentListed } from '../http/response/present-browse.js';
import { presentPage } from '../http/response/present-page.js';
import * as browse from '../services/reading/browse.js';

export const listMemories: Route<
  ListMemoriesData,
  ListMemoriesResponses,
  'sort' | 'direction' | 'limit' | 'includeDeleted' | 'onlyDeleted'
> = async ({ caller, query, filter }, deps) => {
  const { sort, direction, preview } = query;
  const scope = await toReadScope(deps, caller, filter, query.includeDeleted);
  const page = await browse.listMemories(deps, caller, {
    ...toPageQuery(query),
    filter: scope.filter,
    includeDeleted: toIncluded(query),
    sort,
    direction,
    preview,
    since: toTime(query.since, 'since'),
    until: toTime(query.until, 'until'),
  });
  return {
    status: 200,
    body: { memories: page.items.map((memory) => presentListed(memory, deps)), ...presentPage(page) },
  };
};

export const countMemories: Route<
  CountMemoriesData,
  CountMemoriesResponses,
  'time' | 'values' | 'includeDeleted' | 'onlyDeleted'
> = async ({ caller, query, filter }, deps) => {
  const { interval, time, facet, values } = query;
  const scope = await toReadScope(deps, caller, filter, query.includeDeleted);
  const histogram = await browse.countByInterval(deps, caller, {
    filter: scope.filter,
    includeDeleted: toIncluded(query),
    interval,
    time,
    since: parseTimestamp(query.since, 'since'),
    until: toTime(query.until, 'until'),
    ...(facet !== undefined && { facet: { key: facet, values } }),
  });
  return {
    status: 200,
    body: { interval, ...presentHistogram(histogram, histogram.starts) },
  };
};

function toIncluded({ includeDeleted, onlyDeleted }: Record<'includeDeleted' | 'onlyDeleted', BooleanInput>) {
  return isTrue(onlyDeleted) ? 'only' : isTrue(includeDeleted);
}

function toTime(text: string | undefined, path: string): number | undefined {
  return text === undefined ? undefined : parseTimestamp(text, path);
}
