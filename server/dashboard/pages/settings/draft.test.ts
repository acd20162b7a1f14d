import { expect, test } from 'vitest';
import { changesOf, draftOf } from './draft.js';

const STORED = { subjectKeyType: null, semanticDedupe: true, keptVersions: 10, deletedRetentionDays: null };

test('an untouched draft changes nothing', () => {
  expect(changesOf(draftOf(STORED), STORED)).toEqual({});
  const chosen = { ...STORED, subjectKeyType: 'integer', deletedRetentionDays: 7 } as const;
  expect(changesOf(draftOf(chosen), chosen)).toEqual({});
});

test('only changed settings are sent', () => {
  const draft = { ...draftOf(STORED), subjectKeyType: 'string', keptVersions: '0' };

  expect(changesOf(draft, STORED)).toEqual({ subjectKeyType: 'string', keptVersions: 0 });
});

test('keeping deleted memories for good is null', () => {
  const stored = { ...STORED, deletedRetentionDays: 30 };

  expect(changesOf({ ...draftOf(stored), deletedMemories: 'kept' }, stored)).toEqual({ deletedRetentionDays: null });
  expect(changesOf({ ...draftOf(STORED), deletedMemories: 'purged' }, STORED)).toEqual({ deletedRetentionDays: 30 });
});
