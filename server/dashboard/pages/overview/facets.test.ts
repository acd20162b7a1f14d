import { expect, test } from 'vitest';
import { namesOf } from './facets.js';

test('values of a facet have different names without control characters', () => {
  const long = 'x'.repeat(40);
  const values = ['wiki', `${long}1`, `${long}2`, 'null', null, 'a\u202eb'].map((value) => ({ value }));

  const short = `${'x'.repeat(32)}…`;
  expect(namesOf(values)).toEqual(['wiki', short, `${short} (2)`, 'null', 'null (2)', 'a[U+202E]b']);
});
