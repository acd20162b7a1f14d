import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { EarlyFile } from './early-file.js';
import type { FileIndex } from './index-reader.js';

const [OLD, NEW] = [new Date('2026-01-01'), new Date('2026-02-01')];
const ANY_SIZE = Number.POSITIVE_INFINITY;

test('the file that was written last is read, and returned once', () => {
  const { early, path, readLast } = setUp();
  early.read(path('.'), ANY_SIZE);

  const other = early.take(path('old.vectors'));
  const [first, second] = [early.take(path('new.vectors')), early.take(path('new.vectors'))];

  expect(readLast.mock.calls).toEqual([[path('new.vectors')]]);
  expect(other).toBeUndefined();
  expect(first).toBe(FILE);
  expect(second).toBeUndefined();
});

test.each<[string, (path: string) => void]>([
  ['is written', (path) => writeFileSync(path, 'bytes')],
  ['gets other bytes and its former time', (path) => writeAt(path, 'other', NEW)],
])('a file that %s after it was read is read again', (_, change) => {
  const { early, path } = setUp();
  early.read(path('.'), ANY_SIZE);
  change(path('new.vectors'));

  expect(early.take(path('new.vectors'))).toBeUndefined();
});

test('a file that changes while it is read is read again', () => {
  const { early, path, readLast } = setUp();
  readLast.mockImplementation((file) => {
    writeFileSync(file, 'bytes');
    return FILE;
  });
  early.read(path('.'), ANY_SIZE);

  expect(early.take(path('new.vectors'))).toBeUndefined();
});

test('no file is read that was just written, or that is too large, or without a folder', () => {
  const { early, path, readLast } = setUp();

  early.read(path('.'), 4);
  early.read(path('missing'), ANY_SIZE);
  writeFileSync(path('new.vectors'), 'bytes');
  early.read(path('.'), ANY_SIZE);

  expect(readLast).not.toHaveBeenCalled();
  expect(early.take(path('new.vectors'))).toBeUndefined();
});

test('a fault of the file is left to its order', () => {
  const { early, path, readLast } = setUp();
  readLast.mockImplementation(() => {
    throw new Error('on purpose');
  });

  early.read(path('.'), ANY_SIZE);

  expect(readLast).toHaveBeenCalled();
  expect(early.take(path('new.vectors'))).toBeUndefined();
});

const FILE = {} as FileIndex;

function setUp() {
  const folder = quickFolder();
  const path = (name: string) => join(folder, name);
  writeAt(path('old.vectors'), 'bytes', OLD);
  writeAt(path('new.vectors'), 'bytes', NEW);
  writeAt(path('newer.vectors.new'), 'bytes', new Date('2026-03-01'));
  mkdirSync(path('folder'));
  const readLast = vi.fn<(path: string) => FileIndex | undefined>(() => FILE);
  return { early: new EarlyFile(readLast), path, readLast };
}

function writeAt(path: string, bytes: string, time: Date): void {
  writeFileSync(path, bytes);
  utimesSync(path, time, time);
}
