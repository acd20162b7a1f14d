import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { placedLines } from './lines.js';

test.each([
  ['a newline at the end', 'a\nbb\n\nÜ😀\n', ['a', 'bb', '', 'Ü😀']],
  ['none at the end', 'a\nbb', ['a', 'bb']],
  ['lines longer than one read', `${'x'.repeat(150_000)}\n${'y'.repeat(70_000)}\nz`, undefined],
  ['nothing', '', []],
])('the lines of a file with %s are read with their positions', async (_, text, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'lines-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'file');
  await writeFile(path, text);
  await using file = await open(path);

  const found: string[] = [];
  for await (const { text: line, start, length } of placedLines(path)) {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
    expect(buffer.toString('utf8') === line).toBe(true);
    found.push(line);
  }

  expect(found).toEqual(expected ?? text.split('\n'));
});
