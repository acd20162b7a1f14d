import type { Filter } from 'mongodb';
import { subjectText } from '../../../domain/memory/memory-facets.js';
import type { Expected, ExpectedWrite } from '../../../ports/store.js';
import type { MemoryDocument } from '../engine/collections.js';
import { documentIdsOf } from '../engine/memory-documents.js';
import { contentKey, idKey, placeFields, scopedKey, wordsKey } from './known-memories.js';

/**
 * What a look by words says of active memories. Of `live: true` a planner may
 * conclude that the unique index of contents would do, and read all of a subject.
 */
export const ACTIVE_BY_WORDS = { live: { $ne: false } } as const;

/** What a unit will look for. */
export function expectedKeys({ writes = [], ids = [] }: Expected): string[] {
  return [...ids.map(idKey), ...writes.flatMap(keysOfWrite)];
}

function keysOfWrite(write: ExpectedWrite): string[] {
  const { contentHash, externalKey, scope } = write;
  const place = placeFields(write);
  return [
    contentKey(place, contentHash),
    ...(externalKey === undefined
      ? wordHashesOf(write).map((hash) => wordsKey(place, hash))
      : [scopedKey(externalKey, scope)]),
  ];
}

function wordHashesOf({ wordsHash, formerWordsHash }: ExpectedWrite): string[] {
  return formerWordsHash === undefined ? [wordsHash] : [wordsHash, formerWordsHash];
}

/**
 * What finds all memories of an organization that a unit will look for, and
 * maybe others. Each filter is of one index: in one `$or` they may be of none.
 */
export function expectedMemories(
  organizationId: string,
  { writes = [], ids = [] }: Expected,
): Filter<MemoryDocument>[] {
  const unkeyed = writes.filter(({ externalKey }) => externalKey === undefined);
  const keyed = writes.filter(({ externalKey }) => externalKey !== undefined);
  const byWords = {
    ...ACTIVE_BY_WORDS,
    subject: ofSubjects(unkeyed),
    wordsHash: { $in: unkeyed.flatMap(wordHashesOf) },
    chunk: ofChunks(unkeyed),
  };
  const byKey = {
    externalKey: among(keyed, ({ externalKey = '' }) => externalKey),
    source: among(keyed, ({ scope }) => scope.source),
    project: among(keyed, ({ scope }) => scope.project),
  };
  return [
    ...(ids.length > 0 ? [{ _id: { $in: ids.flatMap((id) => documentIdsOf(organizationId, id)) } }] : []),
    ...(writes.length > 0 ? [{ ...activeWithContents(writes), chunk: ofChunks(writes) }] : []),
    ...(unkeyed.length > 0 ? [byWords] : []),
    ...(keyed.length > 0 ? [byKey] : []),
  ];
}

/** The active memories with some contents, of whatever chunk; if there are several subjects, maybe not of the right one. */
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
