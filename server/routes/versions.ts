import type { MemoryVersion } from '../domain/memory/version.js';
import { formatTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  ExportMemoryVersionsData,
  ExportMemoryVersionsResponses,
  ListMemoryVersionsData,
  ListMemoryVersionsResponses,
  RestoreMemoryVersionData,
  RestoreMemoryVersionResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { isTrue } from '../http/request/body/boolean-input.js';
import { presentWritten } from '../http/response/present.js';
import { presentPage } from '../http/response/present-page.js';
import * as versions from '../services/reading/versions.js';

export const listMemoryVersions: Route<
  ListMemoryVersionsData,
  ListMemoryVersionsResponses,
  'limit' | 'includeDeleted'
> = async ({ caller, path, query }, deps) => {
  const wanted = { ...toPageQuery(query), includeDeleted: isTrue(query.includeDeleted) };
  const page = await versions.listVersions(deps, caller, path.id, wanted);
  return { status: 200, body: { versions: page.items.map(presentVersion), ...presentPage(page) } };
};

export const exportMemoryVersions: Route<ExportMemoryVersionsData, ExportMemoryVersionsResponses, 'limit'> = async (
  { caller, query },
  deps,
) => {
  const page = await versions.exportVersions(deps, caller, toPageQuery(query));
  const items = page.items.map((version) => ({ memoryId: version.memoryId, ...presentVersion(version) }));
  return { status: 200, body: { versions: items, ...presentPage(page) } };
};

export const restoreMemoryVersion: Route<RestoreMemoryVersionData, RestoreMemoryVersionResponses> = async (
  { caller, path: { id, version } },
  deps,
) => {
  const written = await versions.restoreVersion(deps, caller, id, version);
  return { status: 200, body: presentWritten(written, deps) };
};

function presentVersion({ number, content, metadata, subjectKey, ...times }: MemoryVersion): wire.MemoryVersion {
  return {
    version: number,
    content,
    metadata,
    ...(subjectKey !== undefined && { subjectKey }),
    updatedAt: formatTimestamp(times.updatedAt),
    replacedAt: formatTimestamp(times.replacedAt),
  };
}
