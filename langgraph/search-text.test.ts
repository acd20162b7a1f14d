import { expect, test } from 'vitest';
import { searchText } from './search-text.js';

const VALUE = {
  text: 'One.',
  meta: { title: 'Two.', pages: 3 },
  chapters: [{ content: 'Three.' }, { content: 'Four.' }],
  tags: ['a', 'b'],
  none: null,
};

test.each([
  [['$'], JSON.stringify(VALUE)],
  [['text'], 'One.'],
  [['text', 'meta.title'], 'One.\nTwo.'],
  [['meta.pages'], '3'],
  [['meta'], '{"title":"Two.","pages":3}'],
  [['chapters[*].content'], 'Three.\nFour.'],
  [['chapters[1].content'], 'Four.'],
  [['tags[-1]'], 'b'],
  [['tags[7]', 'none', 'missing.title', 'text.length', 'text[0]', 'toString'], ''],
])('takes %j', (fields, expected) => {
  expect(searchText(VALUE, fields)).toBe(expected);
});

test('makes texts that the service stores', () => {
  const marks = '\u0301'.repeat(40);

  expect(searchText({ text: ` a\0b\ud800 e${marks}` }, ['text'])).toBe(`a b\ufffd e${marks.slice(10)}`);
});

test.each(['', '.', 'a[x]', 'a]', '[*'])('rejects the path %j', (path) => {
  expect(() => searchText(VALUE, [path])).toThrow(TypeError);
});
