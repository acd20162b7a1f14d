import { describe, expect, test } from 'vitest';
import { matchedWords, tellingTerms } from './matched-words.js';

const matched = (query: string, content: string) => matchedWords(tellingTerms(query), content);

describe('matchedWords', () => {
  test.each([
    ['when do we deploy?', 'Deploys run. Nobody is deploying.', [{ term: 'deploi', forms: ['Deploys', 'deploying'] }]],
    ['café', 'Two CAFÉS and a cafe', [{ term: 'cafe', forms: ['CAFÉS', 'cafe'] }]],
    ['rocket 🚀', 'a 🚀', [{ term: '🚀', forms: ['🚀'] }]],
    ['東京', '私は東京に住んでいます', [{ term: '東京', forms: ['東京'] }]],
    ['nothing alike', 'Ana prefers mornings', []],
  ])('finds the words of "%s" in "%s"', (query, content, expected) => {
    expect(matched(query, content)).toEqual(expected);
  });

  test('leaves out stop words unless the query has no other', () => {
    expect(matched('where is the plant', 'the plant is there')).toEqual([{ term: 'plant', forms: ['plant'] }]);
    expect(matched('to be or not to be', 'not').map(({ term }) => term)).toEqual(['not']);
  });

  test('returns parts of the content, whatever its letters', () => {
    const content = 'ﬁle İstanbul straße ½ cup';
    const found = matched('file istanbul strasse 1 cup', content).flatMap(({ forms }) => forms);

    expect(found.length).toBeGreaterThan(2);
    expect(found.filter((form) => !content.includes(form))).toEqual([]);
  });

  test('examines the beginning of a long content only, and returns few forms of a word', () => {
    expect(matched('needle', `${'hay '.repeat(5_000)}needle`)).toEqual([]);
    const spellings = Array.from({ length: 12 }, (_, n) =>
      Array.from('needle', (c, at) => ((n >> at) & 1 ? c.toUpperCase() : c)).join(''),
    );
    expect(matched('needle', spellings.join(' '))[0]?.forms).toHaveLength(8);
  });
});
