import { describe, expect, test } from 'vitest';
import { excerpt, plainText, truncate } from './plain-text.js';

describe('plainText', () => {
  test.each([
    ['[![build](https://ci/badge.svg)](https://ci) Fast **and** small', 'Fast and small'],
    ['<p align="center">\n  <img src="logo.png">\n  A name\n</p>', 'A name'],
    ['Read [the guide](https://example.org/guide) or [the API][api].', 'Read the guide or the API.'],
    ['- call `next()`\n- return', 'call next() return'],
    ['```js\nrun();\n```', 'run();'],
    ['a < b and c > d', 'a < b and c > d'],
  ])('reads %j', (markdown, text) => {
    expect(plainText(markdown)).toBe(text);
  });
});

describe('excerpt', () => {
  test('picks the sentence that has most words of the question', () => {
    const markdown = '# Retry\n\nInstall it first. A failed call is retried with exponential backoff. See below.';

    expect(excerpt(markdown, 'retry a failing call with backoff', 80)).toBe(
      'A failed call is retried with exponential backoff.',
    );
  });

  test('shows the part of a long sentence that the question is about', () => {
    const markdown = `${'Words before it. words '.repeat(12)}and then hideCursor does it.`;

    const line = excerpt(markdown, 'hideCursor', 60);

    expect(line).toMatch(/^… .*hideCursor does it\.$/);
    expect(line.length).toBeLessThanOrEqual(60);
  });

  test('prefers prose to code and tables', () => {
    const markdown = '```js\nretry(retryPolicy, retryOptions);\n```\n\n| retry | policy |\n\nHow to retry a call.\n';

    expect(excerpt(markdown, 'retry policy options', 80)).toBe('How to retry a call.');
  });

  test('returns the heading if there is nothing else', () => {
    expect(excerpt('## License\n', 'anything', 80)).toBe('License');
  });
});

test('truncate counts characters and marks the cut', () => {
  expect(truncate('😀😀😀', 3)).toBe('😀😀😀');
  expect(truncate('😀😀😀😀', 3)).toBe('😀😀…');
});
