import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeFile, loadCompiled, writeCompiled } from './load-compiled.js';

const DIGEST_BYTES = 32;
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

test('the stored code of a module is run', () => {
  const file = written('module.cjs', SOURCE);
  const other = compiled('other.cjs', OTHER);
  const code = readFileSync(codeFile(other)).subarray(DIGEST_BYTES);
  const digest = createHash('sha256').update(SOURCE).update(code).digest();
  writeFileSync(codeFile(file), Buffer.concat([digest, code]));

  expect(loadCompiled(file)).toEqual({ name: 'two' });
});

test('a module that changed after its code was stored is compiled', () => {
  const file = compiled('module.cjs', SOURCE);
  writeFileSync(file, OTHER);

  expect(loadCompiled(file)).toEqual({ name: 'two' });
});

test.each([
  ['damaged', (stored: Buffer) => stored.fill(0xff, stored.length - 8)],
  ['cut off', (stored: Buffer) => stored.subarray(0, -8)],
  ['empty', (stored: Buffer) => stored.subarray(0, 0)],
])('a module whose stored code is %s is compiled', (_, change) => {
  const file = compiled('module.cjs', SOURCE);
  writeFileSync(codeFile(file), change(readFileSync(codeFile(file))));

  expect(loadCompiled(file)).toEqual({ name: 'one' });
});

test('a module is evaluated once, whoever requires it', () => {
  const parts = compiled('parts.cjs', 'exports.part = {};');
  written('others.cjs', 'exports.part = require("./parts.cjs").part;');
  const file = compiled('module.cjs', 'module.exports = [require("./parts.cjs").part, require("./others.cjs").part];');

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

test('stacks have the lines and columns of the source', () => {
  const file = compiled('module.cjs', 'exports.fail = () => {\n  throw new Error("failed");\n};');

  const { fail } = loadCompiled(file) as { fail: () => void };

  expect(fail).toThrow(expect.objectContaining({ stack: expect.stringContaining(`${file}:2:9`) }));
});

test('a module that is not in ASCII is rejected when its code would be stored', () => {
  expect(() => compiled('module.cjs', 'exports.name = "één";')).toThrow('is not in ASCII');
});

function written(name: string, source: string): string {
  const file = join(folder, name);
  writeFileSync(file, source);
  return file;
}

/** Returns the path of a module whose code is stored. */
function compiled(name: string, source: string): string {
  const file = written(name, source);
  writeCompiled(file);
  return file;
}
