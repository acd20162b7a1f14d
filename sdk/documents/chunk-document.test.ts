import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkDocument } from './chunk-document.js';

const contents = (text: string, maxLength?: number) =>
  chunkDocument(text, { documentId: 'd', maxLength }).map(({ content }) => content);

/** Generates texts of words, breaks, marks, surrogate pairs and joined emoji. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'word',
        'Sentence. ',
        ' ',
        '\n',
        '\n\n',
        '\t\n\n',
        'e\u0301',
        '😀',
        '👩‍👩‍👧',
        'ab',
        '\u1112\u1161\u11ab',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '');

describe('the chunks of a document', () => {
  test('contain documentId, chunkIndex and chunkTotal', () => {
    const chunks = chunkDocument('one two', { documentId: 'wiki/deploys', maxLength: 4 });

    expect(chunks).toEqual([
      { content: 'one ', metadata: { documentId: 'wiki/deploys', chunkIndex: 0, chunkTotal: 2 } },
      { content: 'two', metadata: { documentId: 'wiki/deploys', chunkIndex: 1, chunkTotal: 2 } },
    ]);
  });

  test('join to the document in NFC, and none is blank or repeated', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, maxLength) => {
        const pieces = contents(text, maxLength);

        expect(pieces.join('')).toBe(text.normalize('NFC'));
        expect(pieces.filter((piece) => piece.trim() === '')).toEqual([]);
        expect(new Set(pieces).size).toBe(pieces.length);
        expect(pieces.map((piece) => piece.normalize('NFC'))).toEqual(pieces);
        expect(pieces.every((piece) => piece.isWellFormed() || !text.isWellFormed())).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('are one for a short document', () => {
    expect(contents('Deploys run on Fridays.')).toEqual(['Deploys run on Fridays.']);
  });

  test('end after a paragraph if possible, otherwise after a line, a sentence or a word', () => {
    expect(contents('aaaa\n\nbb\ncc dddd', 10)).toEqual(['aaaa\n\n', 'bb\ncc dddd']);
    expect(contents('aaaa. b\ncc dddd', 10)).toEqual(['aaaa. b\n', 'cc dddd']);
    expect(contents('aaa bbb. cc dddd', 12)).toEqual(['aaa bbb. ', 'cc dddd']);
    expect(contents('aaa bbb cc dddd', 10)).toEqual(['aaa bbb ', 'cc dddd']);
    expect(contents('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  test('never split a surrogate pair, a character with marks or a joined emoji', () => {
    expect(contents('aaa😀b', 4)).toEqual(['aaa', '😀b']);
    expect(contents('aaaq\u0307b', 4)).toEqual(['aaa', 'q\u0307b']);
    expect(contents('aaa👩‍👧b', 7)).toEqual(['aaa', '👩‍👧b']);
  });

  test('do not exceed maxLength, except by white space at their end', () => {
    const text = Array.from({ length: 60 }, (_, index) => `word${index}${index % 7 === 0 ? '.' : ''} `).join('');

    const lengths = contents(`${text}${' '.repeat(50)}end`, 30).map((piece) => piece.trimEnd().length);

    expect(Math.max(...lengths)).toBeLessThanOrEqual(30);
  });

  test('grow until they differ if the document repeats itself', () => {
    expect(contents('ab'.repeat(6), 2)).toEqual(['ab', 'abab', 'ababab']);
    expect(contents('ab'.repeat(5), 2)).toEqual(['ab', 'abababab']);
  });

  test('are rejected if the document is only white space', () => {
    expect(() => contents(' \n\t')).toThrow('blank');
    expect(() => contents('a', 0)).toThrow('maxLength');
    expect(() => contents('a', Number.NaN)).toThrow('maxLength');
  });
});
