import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const BUILT = fileURLToPath(new URL('../dist/dashboard', import.meta.url));
/** Most bytes, compressed, of what a browser loads before the first page appears. */
const MAX_SCRIPT_BYTES = 75_000;
const MAX_STYLE_BYTES = 12_000;
/** Most bytes that the dashboard adds to the package. */
const MAX_PACKAGE_BYTES = 350_000;
const FIRST_PAGES = /^(?:overview|sign-in)-page-/;

test('the first load is small', () => {
  const document = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const entries = Array.from(document.matchAll(/(?:src|href)="\/assets\/([^"]+)"/g), ([, name = '']) => name);
  const first = readdirSync(join(BUILT, 'assets')).filter((name) => entries.includes(name) || FIRST_PAGES.test(name));

  expect(compressed(first, '.js')).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  expect(compressed(first, '.css')).toBeLessThanOrEqual(MAX_STYLE_BYTES);
});

test('the dashboard adds little to the package', () => {
  expect(compressed(readdirSync(join(BUILT, 'assets')), '')).toBeLessThanOrEqual(MAX_PACKAGE_BYTES);
});

test('the document has no inline script or style, which its policy forbids', () => {
  const document = readFileSync(join(BUILT, 'index.html'), 'utf8');

  expect(document).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/);
});

function compressed(names: readonly string[], extension: string): number {
  const own = names.filter((name) => name.endsWith(extension));
  return own.reduce((sum, name) => sum + gzipSync(readFileSync(join(BUILT, 'assets', name))).length, 0);
}
