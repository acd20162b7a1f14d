import type { Filter } from 'mongodb';
import { subjectText } from '../../../domain/filter/memory-facets.js';
import type { Expected, ExpectedWrite } from '../../../ports/unit-of-work.js';
import type { MemoryDocument } from '../engine/collections.js';
import { documentIdsOf } from '../engine/memory-documents.js';
import { contentKey, createdKey, idKey, placeFields, scopedKey, wordsKey } from './known-memories.js';

/**
 * The condition of active memories in a lookup by words. With `live: true` the planner may choose the unique index of
 * contents and scan a whole subject.
 */
export const ACTIVE_BY_WORDS = { live: { $ne: false } } as const;

/** Returns the keys that a unit will look up. */
export function expectedKeys({ writes = [], ids = [] }: Expected): string[] {
  return [...ids.map(idKey), ...writes.flatMap(keysOfWrite)];
}

/** Returns the ids that come from an archive. */
export function importedIds({ writes = [] }: Expected): string[] {
  return writes.flatMap(({ id }) => id ?? []);
}

function keysOfWrite(write: ExpectedWrite): string[] {
  const { contentHash, createdAt, externalKey, scope } = write;
  const place = placeFields(write);
  return [
    ...(createdAt === undefined ? [] : [createdKey(createdAt)]),
    contentKey(place, contentHash),
    ...(externalKey === undefined
      ? wordHashesOf(write).map((hash) => wordsKey(place, hash))
      : [scopedKey(externalKey, scope)]),
  ];
}

function wordHashesOf({ wordsHash, formerWordsHash }: ExpectedWrite): string[] {
  return [wordsHash, formerWordsHash].filter((hash) => hash !== undefined);
}

/**
 * Returns filters that together match all memories that a unit will look up, and maybe others. Each filter uses one
 * index; combined in one `$or` they might use none.
 */
export function expectedMemories(
  organizationId: string,
  { writes = [], ids = [] }: Expected,
): Filter<MemoryDocument>[] {
  const compared = writes.filter((write) => write.externalKey === undefined && wordHashesOf(write).length > 0);
  const keyed = writes.filter(({ externalKey }) => externalKey !== undefined);
  const byWords = {
    ...ACTIVE_BY_WORDS,
    subject: ofSubjects(compared),
    wordsHash: { $in: compared.flatMap(wordHashesOf) },
    chunk: ofChunks(compared),
  };
  const byKey = {
    externalKey: among(keyed, ({ externalKey = '' }) => externalKey),
    source: among(keyed, ({ scope }) => scope.source),
    project: among(keyed, ({ scope }) => scope.project),
  };
  const times = writes.flatMap(({ createdAt }) => createdAt ?? []);
  return [
    ...(times.length > 0 ? [{ live: { $in: [true, false] }, createdAt: { $in: times } }] : []),
    ...(ids.length > 0 ? [{ _id: { $in: ids.flatMap((id) => documentIdsOf(organizationId, id)) } }] : []),
    ...(writes.length > 0 ? [{ ...activeWithContents(writes), chunk: ofChunks(writes) }] : []),
    ...(compared.length > 0 ? [byWords] : []),
    ...(keyed.length > 0 ? [byKey] : []),
  ];
}

/** Returns a filter of active memories with these contents, in any chunk, and maybe under another subject. */
export function activeWithContents(
  writes: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
): Filter<MemoryDocument> {
  return { live: true, subject: ofSubjects(writes), contentHash: among(writes, ({ contentHash }) => contentHash) };
}

function ofSubjects(writes: readonly Pick<ExpectedWrite, 'subjectKey'>[]): { $in: string[] } {
  return among(writes, ({ subjectKey }) => subjectText(subjectKey));
}

function ofChunks(writes: readonly ExpectedWrite[]): { $in: (string | null)[] } {
  return among(writes, (write) => placeFields(write).chunk);
}

function among<T, Value>(all: readonly T[], value: (one: T) => Value): { $in: Value[] } {
  return { $in: [...new Set(all.map(value))] };
}
