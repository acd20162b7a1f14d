import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Document, examplesOf, groupsOf, matches, mediaOf, resolve } from './contract.js';
import { curlOf } from './curl.js';
import { blocksOf } from './markdown.js';
import { boundWords, flatten, membersOf, typeWords } from './schema.js';

const CONTRACT = fileURLToPath(new URL('../../../generated/openapi.json', import.meta.url));
const document = JSON.parse(readFileSync(CONTRACT, 'utf8')) as Document;
const operations = groupsOf(document).flatMap((group) => group.operations);

test('every operation is in one group', () => {
  const ids = operations.map(({ operationId }) => operationId);
  const count = JSON.stringify(document).split('"operationId"').length - 1;

  expect(ids).toHaveLength(count);
  expect(new Set(ids).size).toBe(count);
});

test('every part of every operation can be shown', () => {
  const faults = operations.flatMap((operation) => {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) => part ?? []);
    return bodies.flatMap((part) => {
      const found = mediaOf(resolve(document, part).content);
      if (!found?.media.schema) return [];
      const { schema } = found.media;
      const isTyped = typeWords(document, schema) !== '' && boundWords(document, schema) !== undefined;
      const isWhole = examplesOf(document, found.media).every(({ value }) => value !== undefined);
      return isTyped && isWhole ? [] : [operation.operationId];
    });
  });

  expect(faults).toEqual([]);
});

test.each(operations)('$operationId is a command that a shell accepts', (operation) => {
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', `curl() { printf '%s\\0' "$@"; }; ${curlOf(document, operation, 'https://memory.test')}`],
    { encoding: 'utf8' },
  );

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const sent = stdout.split('\0');
  const at = sent.indexOf('-d');
  if (at !== -1) expect(() => JSON.parse(sent[at + 1] ?? '')).not.toThrow();
  expect(sent.filter((part) => part.startsWith('https://memory.test/'))).toHaveLength(1);
});

test('a search finds operations that have all of its words', () => {
  const found = operations.filter((operation) => matches(operation, 'POST  meaning Search'));

  expect(found.map(({ operationId }) => operationId)).toEqual(['searchMemories']);
});

test('parts of a schema are joined', () => {
  const schema = { $ref: '#/components/schemas/SearchResult' };
  const names = membersOf(document, schema).map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining(['id', 'content', 'score', 'similarity']));
  expect(flatten(document, schema).required).toEqual(expect.arrayContaining(['id', 'score']));
});

test('bounds and defaults are said in words', () => {
  expect(boundWords(document, { type: 'integer', minimum: 1, maximum: 50, default: 10 })).toBe('1 to 50 · default 10');
  expect(typeWords(document, { type: 'array', items: { enum: ['a', 'b'] } })).toBe('list of "a" | "b"');
});

test('Markdown becomes paragraphs of plain, bold and code text, and markup stays text', () => {
  expect(blocksOf('**Paths** have `{id}`\nand <b>.\n\nNext')).toEqual([
    [
      { kind: 'bold', text: 'Paths' },
      { kind: 'plain', text: ' have ' },
      { kind: 'code', text: '{id}' },
      { kind: 'plain', text: ' and <b>.' },
    ],
    [{ kind: 'plain', text: 'Next' }],
  ]);
});
