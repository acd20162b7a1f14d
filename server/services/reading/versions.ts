import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { PAGE_BYTES } from '../../domain/fairness/bounds.js';
import type { Written } from '../../domain/memory/memory.js';
import { countWithin, memoryBytes } from '../../domain/memory/page-bytes.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import { type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import type { ReadContent } from '../../domain/retrieval/read-content.js';
import { NotFoundError } from '../../errors.js';
import { assertHarmless } from '../memories/scan.js';
import { type Change, writeChange } from '../writing/update.js';
import type { WriteDeps } from '../writing/write.js';
import { getMemory } from './reads.js';

const NUMBER = /^[1-9]\d{0,14}$/;

/**
 * Returns a page of the versions of a memory, newest first, at most `PAGE_BYTES`.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids, and for deleted memories unless `includeDeleted`
 */
export async function listVersions(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  id: string,
  { includeDeleted, ...page }: PageQuery & { includeDeleted: boolean },
): Promise<Page<MemoryVersion>> {
  await getMemory(deps, caller, id, includeDeleted);
  const found = await deps.store.versions.list(caller.organizationId, id, withOneMore(page));
  const length = Math.min(page.limit, countWithin(found, PAGE_BYTES, memoryBytes));
  return pageOf(found, length, ({ replacedAt }) => ({ at: replacedAt, id }));
}

/** Returns a page of the versions of all memories, grouped by memory, at most `PAGE_BYTES`. */
export async function exportVersions(
  deps: Pick<Deps, 'store'>,
  { organizationId }: Caller,
  page: PageQuery,
): Promise<Page<MemoryVersion>> {
  const found = await deps.store.versions.listAll(organizationId, withOneMore(page));
  const length = Math.min(page.limit, countWithin(found, PAGE_BYTES, memoryBytes));
  return pageOf(found, length, ({ memoryId, replacedAt }) => ({ at: replacedAt, id: memoryId }));
}

/**
 * Restores the content, metadata and subject key of a version to an active memory.
 *
 * @param version its number, as text
 * @throws {NotFoundError} for unknown, foreign, malformed and soft-deleted ids, and for versions that are not kept
 * @throws {ConflictError} if another active memory has the content
 * @throws {ContentRejectedError}
 * @throws {UnprocessableError} if the version breaks the current rules
 */
export async function restoreVersion(deps: WriteDeps, caller: Caller, id: string, version: string): Promise<Written> {
  if (!NUMBER.test(version)) throw new NotFoundError();
  const number = Number(version);
  const found = await deps.store.versions.find(caller.organizationId, id, number);
  if (!found) throw new NotFoundError();

  const row = deps.texts.row(caller.organizationId);
  await assertHarmless(deps, row, found);
  return writeChange(deps, caller, id, {
    action: 'memory.restore_version',
    change: changeTo(found, await row.read(found.content)),
    assertInUnit: async (unit) => {
      if (!(await unit.findVersion(id, number))) throw new NotFoundError();
    },
  });
}

function changeTo({ metadata, subjectKey }: MemoryVersion, content: ReadContent): Change {
  return { content, metadata, metadataReplace: true, subjectKey: subjectKey ?? null };
}
