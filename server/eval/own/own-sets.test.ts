import { describe, expect, test } from 'vitest';
import { lookUp } from '../../adapters/embedding/local/lexicon.js';
import { ownSet, paraphraseSet } from './own-sets.js';
import { QUESTIONS } from './questions.js';

describe('the own set', () => {
  const [{ documents, questions } = { documents: new Map(), questions: [] }] = ownSet().collections;

  test('has 200 different facts', () => {
    expect(documents.size).toBe(200);
    expect(new Set(documents.values()).size).toBe(200);
  });

  test('has twenty questions of each of six kinds, each with an answer', () => {
    expect(Object.values(QUESTIONS).map((list) => list.trim().split('\n').length)).toEqual([20, 20, 20, 20, 20, 20]);
    expect(
      Object.values(QUESTIONS)
        .flatMap((list) => list.trim().split('\n'))
        .filter((line) => line.split(' | ').length !== 3),
    ).toEqual([]);
    expect(new Set(questions.map(({ text }) => text)).size).toBe(120);
  });

  test('has every fact that a question names', () => {
    expect(questions.flatMap(({ evidence }) => evidence).filter((key) => !documents.has(key))).toEqual([]);
  });

  test('asks for several facts in the multi-fact questions alone', () => {
    const several = questions.filter(({ evidence }) => evidence.length > 1);

    expect(new Set(several.map(({ category }) => category))).toEqual(new Set(['multi-fact']));
    expect(several).toHaveLength(20);
  });
});

describe('the paraphrases', () => {
  const [{ documents, questions } = { documents: new Map(), questions: [] }] = paraphraseSet().collections;

  test('are 30 queries among 230 documents', () => {
    expect(questions).toHaveLength(30);
    expect(documents.size).toBe(230);
  });

  test('share no word that carries meaning with their document', () => {
    const sharing = questions.flatMap(({ text, evidence: [key = ''] }) => {
      const words = stems(documents.get(key) ?? '');
      return [...stems(text)].filter((stem) => words.has(stem)).map((stem) => `${text}: ${stem}`);
    });

    expect(sharing).toEqual([]);
  });
});

function stems(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return new Set(words.map(lookUp).flatMap(({ stem, isFunctionWord }) => (isFunctionWord ? [] : [stem])));
}
