import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const BUILT = fileURLToPath(new URL('../dist/dashboard', import.meta.url));
/** Most bytes, compressed, of what a browser loads before the overview appears. */
const MAX_SCRIPT_BYTES = 75_000;
const MAX_STYLE_BYTES = 12_000;
/** Most bytes, compressed, that the dashboard adds to the package. */
const MAX_PACKAGE_BYTES = 350_000;
const FIRST_PAGE = /^overview-page-.*\.js$/;

const assets = readdirSync(join(BUILT, 'assets'));
const document = readFileSync(join(BUILT, 'index.html'), 'utf8');

test('the first load is small', () => {
  const scripts = withImports([...namesIn(document, /"\/assets\/([^"]+\.js)"/g), ...assets.filter(isFirstPage)]);
  const styles = assets.filter((name) => scripts.some((script) => name === styleOf(script, name)));

  expect(scripts.length).toBeGreaterThan(1);
  expect(compressed(scripts)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  expect(styles.length).toBeGreaterThan(1);
  expect(compressed(styles)).toBeLessThanOrEqual(MAX_STYLE_BYTES);
});

test('the dashboard adds little to the package', () => {
  expect(compressed(assets)).toBeLessThanOrEqual(MAX_PACKAGE_BYTES);
});

test('the document has no inline script or style, which its policy forbids', () => {
  expect(document).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/);
});

/** Adds the scripts that scripts import, directly or not. */
function withImports(entries: readonly string[]): string[] {
  const all = new Set(entries);
  for (const name of all) {
    const text = readFileSync(join(BUILT, 'assets', name), 'utf8');
    for (const imported of namesIn(text, /(?:from|import)\s*"\.\/([^"]+\.js)"/g)) all.add(imported);
  }
  return [...all];
}

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name);
}

/** The style of a script has the same name before its hash. */
function styleOf(script: string, name: string): string | undefined {
  const stem = (file: string) => file.replace(/-[\w-]{8}\.\w+$/, '');
  return name.endsWith('.css') && stem(name) === stem(script) ? name : undefined;
}

function isFirstPage(name: string): boolean {
  return FIRST_PAGE.test(name);
}

function compressed(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(BUILT, 'assets', name))).length, 0);
}
