import type { Filter } from 'mongodb';
import { subjectText } from '../../domain/memory-facets.js';
import type { ExpectedWrite } from '../../ports/store.js';
import type { MemoryDocument } from './collections.js';
import { contentKey, scopedKey, wordsKey } from './known-memories.js';

/** What a write will look for. */
export function expectedKeys({ subjectKey, contentHash, wordsHash, externalKey, scope }: ExpectedWrite): string[] {
  const subject = subjectText(subjectKey);
  return [
    contentKey(subject, contentHash),
    externalKey === undefined ? wordsKey(subject, wordsHash) : scopedKey(externalKey, scope),
  ];
}

/**
 * What finds all memories of an organization that some writes will look for,
 * and maybe others. Each filter is of one index: in one `$or` they would be of
 * none.
 */
export function expectedMemories(writes: readonly ExpectedWrite[]): Filter<MemoryDocument>[] {
  const unkeyed = writes.filter(({ externalKey }) => externalKey === undefined);
  const keyed = writes.filter(({ externalKey }) => externalKey !== undefined);
  return [
    activeWithContents(writes),
    ...(unkeyed.length > 0
      ? [{ ...ofSubjects(unkeyed), wordsHash: among(unkeyed, ({ wordsHash }) => wordsHash) }]
      : []),
    ...(keyed.length > 0
      ? [
          {
            externalKey: among(keyed, ({ externalKey = '' }) => externalKey),
            source: among(keyed, ({ scope }) => scope.source),
            project: among(keyed, ({ scope }) => scope.project),
          },
        ]
      : []),
  ];
}

/** The active memories with some contents; where there are several subjects, maybe not of the right one. */
export function activeWithContents(
  writes: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
): Filter<MemoryDocument> {
  return { ...ofSubjects(writes), contentHash: among(writes, ({ contentHash }) => contentHash) };
}

function ofSubjects(writes: readonly Pick<ExpectedWrite, 'subjectKey'>[]) {
  return { live: true, subject: among(writes, ({ subjectKey }) => subjectText(subjectKey)) };
}

function among<T>(all: readonly T[], value: (one: T) => string): { $in: string[] } {
  return { $in: [...new Set(all.map(value))] };
}
