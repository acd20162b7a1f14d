import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeFile, loadCompiled, storeCompiled } from './load-compiled.js';

const CHECKSUM_BYTES = 4;
const [SOURCE, OTHER] = ['exports.name = "one";', 'exports.name = "two";'];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compiled-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a module without stored code is compiled', () => {
  const file = written('module.cjs', SOURCE);

  expect(loadCompiled(file)).toEqual({ name: 'one' });
});

test('the stored code of a module is run', async () => {
  const file = written('module.cjs', SOURCE);
  passOff(await compiled('other.cjs', OTHER), file);

  expect(loadCompiled(file)).toEqual({ name: 'two' });
});

test('the code of the functions that were used is stored, and of no others', async () => {
  const source = (text: string) => `exports.used = () => "${text}"; exports.unused = () => "${text}";`;
  const file = written('module.cjs', source('one'));
  const other = written('other.cjs', source('two'));
  await storeCompiled([other], async (loaded) => (loaded as { used: () => void }).used());
  passOff(other, file);

  const { used, unused } = loadCompiled(file) as { used: () => string; unused: () => string };

  expect([used(), unused()]).toEqual(['two', 'one']);
});

test('a module that was not required is loaded to store its code', async () => {
  const [file, other] = [written('module.cjs', SOURCE), written('other.cjs', OTHER)];

  await storeCompiled([file, other], async () => {});

  expect([file, other].map(codeFile).every((path) => existsSync(path))).toBe(true);
});

test('a module that changed after its code was stored is compiled', async () => {
  const file = await compiled('module.cjs', SOURCE);
  writeFileSync(file, OTHER);

  expect(loadCompiled(file)).toEqual({ name: 'two' });
});

test.each([
  ['damaged', (stored: Buffer) => stored.fill(0xff, stored.length - 8)],
  ['cut off', (stored: Buffer) => stored.subarray(0, -8)],
  ['empty', (stored: Buffer) => stored.subarray(0, 0)],
])('a module whose stored code is %s is compiled', async (_, change) => {
  const file = await compiled('module.cjs', SOURCE);
  writeFileSync(codeFile(file), change(readFileSync(codeFile(file))));

  expect(loadCompiled(file)).toEqual({ name: 'one' });
});

test('a module is evaluated once, whoever requires it', async () => {
  const parts = await compiled('parts.cjs', 'exports.part = {};');
  written('others.cjs', 'exports.part = require("./parts.cjs").part;');
  const file = await compiled(
    'module.cjs',
    'module.exports = [require("./parts.cjs").part, require("./others.cjs").part];',
  );

  const [one, other] = loadCompiled(file) as [object, object];

  expect(existsSync(codeFile(parts))).toBe(true);
  expect(one).toBe(other);
});

test('a module that failed is evaluated again', () => {
  written('part.cjs', 'throw new Error("failed");');
  const file = written('module.cjs', 'module.exports = require("./part.cjs");');
  expect(() => loadCompiled(file)).toThrow('failed');
  written('part.cjs', SOURCE);

  expect(loadCompiled(file)).toEqual({ name: 'one' });
});

test('stacks have the lines and columns of the source', async () => {
  const file = await compiled('module.cjs', 'exports.fail = () => {\n  throw new Error("failed");\n};');

  const { fail } = loadCompiled(file) as { fail: () => void };

  expect(fail).toThrow(expect.objectContaining({ stack: expect.stringContaining(`${file}:2:9`) }));
});

test('a module that is not in ASCII is rejected when its code would be stored', async () => {
  await expect(compiled('module.cjs', 'exports.name = "één";')).rejects.toThrow('is not in ASCII');
});

function written(name: string, source: string): string {
  const file = join(folder, name);
  writeFileSync(file, source);
  return file;
}

/** Returns the path of a module whose code is stored. */
async function compiled(name: string, source: string): Promise<string> {
  const file = written(name, source);
  await storeCompiled([file], async () => {});
  return file;
}

/** Stores the code of one module as that of another. */
function passOff(other: string, file: string): void {
  const code = readFileSync(codeFile(other)).subarray(CHECKSUM_BYTES);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(code, crc32(readFileSync(file))));
  writeFileSync(codeFile(file), Buffer.concat([checksum, code]));
}
