import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isShortId, notePrintedIds, printedIdsPath, resolveShortId } from './printed-ids.js';

const ONE = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
const TWO = '0198c5a2-7e11-7a6e-b0c4-1f2e3d4c5b70';

async function somePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-ids-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return printedIdsPath(folder, ['http://memory.test', undefined]);
}

test('an id is known by its beginning or its end', async () => {
  const path = await somePath();
  await notePrintedIds(path, [ONE]);
  await notePrintedIds(path, [TWO, ONE, 'not-an-id']);

  expect(await resolveShortId(path, '0198c5a2-7e10')).toBe(ONE);
  expect(await resolveShortId(path, '3d4c5b70')).toBe(TWO);
  await expect(resolveShortId(path, '0198c5a2')).rejects.toThrow(`0198c5a2 is ambiguous:\n  ${TWO}\n  ${ONE}`);
  await expect(resolveShortId(path, '00000000')).rejects.toThrow('pass the whole id');
});

test.each([
  ['3d4c5b70', true],
  [ONE, false],
  ['3d4c5b7', false],
  ['a-token-name', false],
  ['3D4C5B70', false],
])('%s is a part of an id: %s', (text, is) => {
  expect(isShortId(text)).toBe(is);
});

test('a damaged file is one without ids, and only its owner can read it', async () => {
  const path = await somePath();
  await notePrintedIds(path, [ONE]);
  const { mode } = await stat(path);
  await writeFile(path, '{');

  expect(mode & 0o777).toBe(0o600);
  await expect(resolveShortId(path, '1b0c4d11')).rejects.toThrow('pass the whole id');
});

test('keeps the latest thousand', async () => {
  const path = await somePath();
  const idOf = (n: number) => `0198c5a2-7e10-7c3b-9d5e-${String(n).padStart(12, '0')}`;
  await notePrintedIds(path, [ONE]);

  await notePrintedIds(
    path,
    Array.from({ length: 1_000 }, (_, n) => idOf(n)),
  );

  expect(await resolveShortId(path, '000000000999')).toBe(idOf(999));
  await expect(resolveShortId(path, '1b0c4d11')).rejects.toThrow();
});
