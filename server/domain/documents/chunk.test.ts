import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import { assertChunk, chunkIdentity } from './chunk.js';

const CHUNK = { documentId: 'doc', chunkIndex: 0, chunkTotal: 2 };

describe('assertChunk', () => {
  test.each([
    ['no chunk keys', { kind: 'note' }],
    ['the first chunk', CHUNK],
    ['the last chunk', { ...CHUNK, chunkIndex: 1 }],
    ['a document of one chunk', { ...CHUNK, chunkTotal: 1 }],
    ['the longest document id', { ...CHUNK, documentId: '😀'.repeat(512) }],
  ])('accepts %s', (_, metadata) => {
    expect(() => assertChunk(metadata)).not.toThrow();
  });

  test.each([
    ['a document id alone', { documentId: 'doc' }, 'metadata.chunkIndex'],
    ['no document id', { chunkIndex: 0, chunkTotal: 1 }, 'metadata.documentId'],
    ['no total', { documentId: 'doc', chunkIndex: 0 }, 'metadata.chunkTotal'],
    ['an inherited name only', Object.create(CHUNK, { documentId: { value: 'doc' } }), 'metadata.chunkIndex'],
    ['a null document id', { ...CHUNK, documentId: null }, 'metadata.documentId'],
    ['a number for a document id', { ...CHUNK, documentId: 7 }, 'metadata.documentId'],
    ['an empty document id', { ...CHUNK, documentId: '' }, 'metadata.documentId'],
    ['a document id of 513 characters', { ...CHUNK, documentId: 'd'.repeat(513) }, 'metadata.documentId'],
    ['a negative index', { ...CHUNK, chunkIndex: -1 }, 'metadata.chunkIndex'],
    ['an index equal to the total', { ...CHUNK, chunkIndex: 2 }, 'metadata.chunkIndex'],
    ['a fractional index', { ...CHUNK, chunkIndex: 0.5 }, 'metadata.chunkIndex'],
    ['the text of an index', { ...CHUNK, chunkIndex: '0' }, 'metadata.chunkIndex'],
    ['a total of none', { ...CHUNK, chunkTotal: 0 }, 'metadata.chunkTotal'],
    ['a total too large to be exact', { ...CHUNK, chunkTotal: 2 ** 53 }, 'metadata.chunkTotal'],
  ])('rejects %s', (_, metadata, path) => {
    expect(() => assertChunk(metadata)).toThrow(refusedAt(path));
  });
});

describe('chunkIdentity', () => {
  test('is the same for the same chunk, whatever the other metadata', () => {
    expect(chunkIdentity({ ...CHUNK, kind: 'note' })).toBe(chunkIdentity({ ...CHUNK, chunkTotal: 9 }));
  });

  test.each([
    ['of another index', CHUNK, { ...CHUNK, chunkIndex: 1 }],
    ['of another document', CHUNK, { ...CHUNK, documentId: 'other' }],
    ['with the same joined digits', { ...CHUNK, documentId: '1', chunkIndex: 1 }, { ...CHUNK, documentId: '11' }],
  ])('differs for a chunk %s', (_, one, other) => {
    expect(chunkIdentity(one)).not.toBe(chunkIdentity(other));
  });

  test.each([
    ['without chunk keys', {}],
    ['with some of them', { documentId: 'doc', chunkIndex: 0 }],
    ['with wrong ones', { ...CHUNK, chunkIndex: 5 }],
  ])('is undefined %s', (_, metadata) => {
    expect(chunkIdentity(metadata)).toBeUndefined();
  });
});
