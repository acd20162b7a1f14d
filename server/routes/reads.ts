import { formatCursor } from '../domain/cursor.js';
import type { Page } from '../domain/page.js';
import { parseTimestamp } from '../domain/timestamp.js';
import { JsonLines } from '../http/contract/json-lines.js';
import type { Route } from '../http/contract/route.js';
import { ReadyBody } from '../http/contract/served-document.js';
import type {
  ExportedMemory,
  ExportMemoriesData,
  ExportMemoriesResponses,
  GetMemoryData,
  GetMemoryResponses,
  GetMemoryStatsData,
  GetMemoryStatsResponses,
  ListMemoryChangesData,
  ListMemoryChangesResponses,
  ListRecentMemoriesData,
  ListRecentMemoriesResponses,
  ListSimilarMemoriesData,
  ListSimilarMemoriesResponses,
  SearchMemoriesData,
  SearchMemoriesResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { isTrue } from '../http/request/body/boolean-input.js';
import { toReadScope } from '../http/request/caller/read-scope.js';
import { presentChange, presentMatch, presentMemory } from '../http/response/present.js';
import { nextCursorOf, presentMeta } from '../http/response/present-page.js';
import * as reads from '../services/reading/reads.js';
import * as searches from '../services/reading/search.js';

export const getMemory: Route<GetMemoryData, GetMemoryResponses, 'includeDeleted'> = async (
  { caller, path, query },
  deps,
) => {
  const memory = await reads.getMemory(deps, caller, path.id, isTrue(query.includeDeleted));
  return { status: 200, body: presentMemory(memory, deps) };
};

export const exportMemories: Route<ExportMemoriesData, ExportMemoriesResponses, 'limit' | 'includeDeleted'> = async (
  { caller, query, filter },
  deps,
) => {
  const wanted = toPageQuery(query);
  const scope = await toReadScope(deps, caller, filter, query.includeDeleted);
  // The store writes memories in the form of the contract, which has no mirror.
  const ready = deps.metadataMirror ? undefined : await reads.exportLines(deps, caller, scope, wanted);
  if (ready) {
    const { buffer, byteOffset, length } = ready.lines;
    return {
      status: 200,
      ...toHeaders(ready),
      body: new ReadyBody(Buffer.from(buffer, byteOffset, length), ready.release),
    };
  }
  const page = await reads.exportPage(deps, caller, scope, wanted);
  const lines = page.items.map((memory): ExportedMemory => presentMemory(memory, deps));
  return { status: 200, ...toHeaders(page), body: new JsonLines(lines) };
};

/** Returns the header with the cursor of the next page, if there is one. */
function toHeaders(page: Omit<Page<unknown>, 'items'>): { headers?: { 'X-Next-Cursor': string } } {
  const cursor = nextCursorOf(page);
  return cursor === undefined ? {} : { headers: { 'X-Next-Cursor': cursor } };
}

export const getMemoryStats: Route<GetMemoryStatsData, GetMemoryStatsResponses, 'includeDeleted'> = async (
  { caller, query, filter },
  deps,
) => {
  const scope = await toReadScope(deps, caller, filter, query.includeDeleted);
  const { facets, total, filtered, truncated } = await reads.countMemories(
    deps,
    caller,
    scope.filter,
    scope.includeDeleted,
  );
  return { status: 200, body: { facets, meta: { total, filtered, ...(truncated.length > 0 && { truncated }) } } };
};

export const listMemoryChanges: Route<
  ListMemoryChangesData,
  ListMemoryChangesResponses,
  'limit' | 'includeDeleted'
> = async ({ caller, query, filter }, deps) => {
  const since = parseTimestamp(query.since, 'since');
  const wanted = { since, ...toPageQuery(query) };
  const scope = await toReadScope(deps, caller, filter, query.includeDeleted);
  const page = await reads.listChanges(deps, caller, scope, wanted);
  // The last page has a cursor too: a later request with it returns what changed since.
  const nextCursor = page.last ? formatCursor(page.last) : query.cursor;
  return {
    status: 200,
    body: {
      changes: page.items.map((memory) => presentChange(memory, deps)),
      meta: presentMeta(page),
      ...(nextCursor !== undefined && { nextCursor }),
    },
  };
};

export const listRecentMemories: Route<
  ListRecentMemoriesData,
  ListRecentMemoriesResponses,
  'limit' | 'includeDeleted'
> = async ({ caller, query, filter }, deps) => {
  const scope = await toReadScope(deps, caller, filter, query.includeDeleted);
  const memories = await reads.listRecent(deps, caller, scope, query.limit);
  return {
    status: 200,
    body: { results: memories.map((memory) => presentMemory(memory, deps)), meta: { count: memories.length } },
  };
};

export const searchMemories: Route<
  SearchMemoriesData,
  SearchMemoriesResponses,
  | 'limit'
  | 'includeDeleted'
  | 'mode'
  | 'recencyWeight'
  | 'recencyHalflifeDays'
  | 'exact'
  | 'explain'
  | 'diversity'
  | 'rerank'
> = async ({ caller, body }, deps) => {
  const { matches, wordsLeftOut } = await searches.search(deps, caller, {
    ...body,
    includeDeleted: isTrue(body.includeDeleted),
    exact: isTrue(body.exact),
    explain: isTrue(body.explain),
    rerank: isTrue(body.rerank),
  });
  return {
    status: 200,
    body: {
      results: matches.map((match) => presentMatch(match, deps)),
      meta: { count: matches.length, mode: body.mode, ...(wordsLeftOut && { wordsLeftOut }) },
    },
  };
};

export const listSimilarMemories: Route<
  ListSimilarMemoriesData,
  ListSimilarMemoriesResponses,
  'limit' | 'includeDeleted'
> = async ({ caller, path, query, filter }, deps) => {
  const scope = await toReadScope(deps, caller, filter, query.includeDeleted);
  const matches = await searches.similarTo(deps, caller, path.id, { ...scope, limit: query.limit });
  return {
    status: 200,
    body: { results: matches.map((match) => presentMatch(match, deps)), meta: { count: matches.length } },
  };
};
