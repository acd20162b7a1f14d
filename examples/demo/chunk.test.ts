import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutIntoChunks } from './chunk.js';

const MAX_LENGTH = 1_200;

function words(count: number): string {
  return `${'word '.repeat(count)}end.`;
}

describe('cutIntoChunks', () => {
  test('keeps every character, in order, in chunks that are neither blank nor too long', () => {
    const line = fc.oneof(
      fc.constantFrom('# One', '## Two ##', 'Title', '=====', '-----', '```js', '```', '~~~', '', '  ', '- item'),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 1, max: 600 }).map(words),
    );
    const markdown = fc.array(line, { minLength: 1, maxLength: 60 }).map((lines) => lines.join('\n'));

    fc.assert(
      fc.property(markdown, (text) => {
        const chunks = cutIntoChunks(text);

        if (text.trim() !== '') expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
        for (const chunk of chunks) expect(chunk.text.trim()).not.toBe('');
        for (const { text: piece } of chunks) expect(piece.trim().length).toBeLessThanOrEqual(MAX_LENGTH);
      }),
    );
  });

  test('starts a chunk at a heading and names it after that heading', () => {
    const text = `# Install\n\n${words(120)}\n\n## Use *it*\n\n${words(120)}\n`;

    const chunks = cutIntoChunks(text);

    expect(chunks.map(({ heading }) => heading)).toEqual(['Install', 'Use *it*']);
    expect(chunks[1]?.text).toMatch(/^## Use/);
  });

  test('keeps short sections together under the first heading', () => {
    const chunks = cutIntoChunks('Badge.\n\n# Name\n\nWhat it is.\n\n## License\n\nMIT\n');

    expect(chunks).toEqual([{ heading: 'Name', text: 'Badge.\n\n# Name\n\nWhat it is.\n\n## License\n\nMIT\n' }]);
  });

  test('names a chunk in the middle of a long section after the section', () => {
    const text = `# Long\n\n${words(200)}\n\n${words(200)}\n`;

    const chunks = cutIntoChunks(text);

    expect(chunks.map(({ heading }) => heading)).toEqual(['Long', 'Long']);
  });

  test('never leaves a heading without its text at the end of a chunk', () => {
    const text = `# First\n\n${words(220)}\n\n## Second\n\n${words(30)}\n`;

    const chunks = cutIntoChunks(text);

    expect(chunks.map((chunk) => chunk.text.trim().split('\n').at(-1))).toEqual([words(220), words(30)]);
  });

  test('detects underlined titles as headings', () => {
    const text = `1.2.0 / 2024-01-01\n==================\n\n${words(120)}\n\n1.1.0\n-----\n\n${words(120)}\n`;

    const chunks = cutIntoChunks(text);

    expect(chunks.map(({ heading }) => heading)).toEqual(['1.2.0 / 2024-01-01', '1.1.0']);
  });

  test('detects no heading or paragraph inside a code block', () => {
    const code = `\`\`\`sh\n${'# a comment\n\nrun it\n'.repeat(30)}\`\`\`\n`;
    const text = `# Usage\n\n${code}\n${words(160)}\n`;

    const chunks = cutIntoChunks(text);

    expect(chunks.map(({ heading }) => heading)).toEqual(['Usage', 'Usage']);
    expect(chunks[0]?.text).toBe(`# Usage\n\n${code}\n`);
  });

  test('splits a line without spaces between characters, not inside one', () => {
    const text = `a${'😀'.repeat(1_000)}`;

    const chunks = cutIntoChunks(text);

    expect(chunks.length).toBe(2);
    for (const chunk of chunks) expect(chunk.text).not.toMatch(/\p{Surrogate}/u);
  });

  test('returns nothing for white space', () => {
    expect(cutIntoChunks(' \n\n\t\n')).toEqual([]);
  });
});
