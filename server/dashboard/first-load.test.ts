import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const PAGES = readdirSync(new URL('pages', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const BUILT = fileURLToPath(new URL('../dist/dashboard', import.meta.url));
/** Most bytes, compressed, of what a browser loads before the overview appears. */
const MAX_SCRIPT_BYTES = 75_000;
const MAX_STYLE_BYTES = 12_000;
const MAX_FIRST_SCRIPT_BYTES = 1_500;
/** Most bytes, compressed, that the dashboard adds to the package. */
const MAX_PACKAGE_BYTES = 350_000;

const assets = readdirSync(join(BUILT, 'assets'));
const documents = readdirSync(BUILT).filter((name) => name.endsWith('.html'));

test('the first load is small', () => {
  const scripts = scriptsOf('overview.html');
  const styles = namesIn(read('overview.html'), /"\/assets\/([^"]+\.css)"/g);

  expect(scripts.length).toBeGreaterThan(1);
  expect(compressed(scripts)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  expect(styles.length).toBeGreaterThan(1);
  expect(compressed(styles)).toBeLessThanOrEqual(MAX_STYLE_BYTES);
});

test.each(PAGES)('the page %s has a document, which loads the script of the page', (page) => {
  expect(scriptsOf(`${page}.html`).some((script) => script.startsWith(`${page}-page-`))).toBe(true);
});

test('no script has code for debugging, which names the source of each element', () => {
  const scripts = assets.filter((name) => name.endsWith('.js'));
  const text = scripts.map((name) => readFileSync(join(BUILT, 'assets', name), 'utf8')).join('\n');

  expect(text).toContain('Add a memory');
  expect(text).not.toMatch(/\blineNumber:|\.tsx\b/);
});

test('the dashboard adds little to the package', () => {
  expect(compressed(assets)).toBeLessThanOrEqual(MAX_PACKAGE_BYTES);
});

test.each(documents)('%s names all that its page loads, so that nothing waits for a script to run', (name) => {
  const scripts = scriptsOf(name);

  expect(withImports(scripts)).toEqual(scripts);
});

test.each(documents)('the first script of %s is a small one that runs at once', (name) => {
  const [first = '', script = ''] = /<script type="module" async [^>]*"\/assets\/([^"]+)"/.exec(read(name)) ?? [];

  expect(read(name).indexOf('<script')).toBe(read(name).indexOf(first));
  expect(withImports([script])).toEqual([script]);
  expect(compressed([script])).toBeLessThanOrEqual(MAX_FIRST_SCRIPT_BYTES);
});

test.each(documents)('%s has no inline script or style, which its policy forbids', (name) => {
  expect(read(name)).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/);
});

function read(document: string): string {
  return readFileSync(join(BUILT, document), 'utf8');
}

function scriptsOf(document: string): string[] {
  return namesIn(read(document), /"\/assets\/([^"]+\.js)"/g);
}

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

function compressed(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(BUILT, 'assets', name))).length, 0);
}
