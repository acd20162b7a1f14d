import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type IndexEntry, SearchIndex } from './search/search-index.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = join(ROOT, 'server/dist/site');
/** Most bytes, compressed one by one, that the site adds to the package. */
const MAX_PACKAGE_BYTES = 750_000;

const pages = readdirSync(BUILT).filter((name) => name.endsWith('.html'));
const assets = readdirSync(join(BUILT, 'assets')).map((name) => `assets/${name}`);
const texts = new Map(pages.map((name) => [name, readFileSync(join(BUILT, name), 'utf8')]));
const operations = Object.values(
  (JSON.parse(readFileSync(join(ROOT, 'server/generated/openapi.json'), 'utf8')) as Contract).paths,
).flatMap((path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []));

interface Contract {
  paths: Record<string, Record<string, { operationId?: string }>>;
}

describe('the built site', () => {
  test('has a page for each page of docs/, and lists it in its navigation', () => {
    const names = readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => (name === 'README.md' ? 'index.html' : name.replace(/\.md$/, '.html')));

    expect(names.filter((name) => !texts.get('index.html')?.includes(`<li><a href="${name}"`))).toEqual([]);
    expect(names.filter((name) => !pages.includes(name))).toEqual([]);
  });

  test('has every operation of the contract in its reference', () => {
    const reference = pages
      .filter((name) => name.startsWith('api-'))
      .map((name) => texts.get(name))
      .join('');

    expect(operations.filter((id) => !reference.includes(`<h2 id="${id}">`))).toEqual([]);
    expect(operations.length).toBeGreaterThan(60);
  });

  test.each(pages)('%s links only to pages, headings and files that exist', (name) => {
    const broken = addressesIn(name).filter((address) => !isThere(name, address));

    expect(broken).toEqual([]);
  });

  test.each(pages)('%s has nothing that the policy of the server forbids', (name) => {
    const text = withoutCode(texts.get(name) ?? '');

    expect(text).not.toMatch(/<style|\sstyle=|<script(?! src="assets\/)|\son\w+=|<iframe|<form|javascript:/);
    expect(text).not.toMatch(/(?:src|<link[^>]* href)="(?!assets\/)/);
  });

  test('has one heading of the first level on each page, and no id twice', () => {
    const faults = pages.filter((name) => {
      const ids = idsIn(name);
      return new Set(ids).size !== ids.length || texts.get(name)?.split('<h1').length !== 2;
    });

    expect(faults).toEqual([]);
  });

  test('adds little to the package', () => {
    const bytes = [...pages, ...assets].reduce(
      (sum, name) => sum + gzipSync(readFileSync(join(BUILT, name))).length,
      0,
    );

    expect(bytes).toBeLessThanOrEqual(MAX_PACKAGE_BYTES);
  });

  test.each([
    ['retry', 'sdk.html'],
    ['de-duplication', 'deduplication.html'],
    ['forSubject', 'sdk.html'],
    ['SERVICE_ENCRYPTION_KEYS', 'configuration.html'],
    ['backup restore', 'backup.html'],
    ['search memories closest', 'api-memories.html'],
    ['content_conflict', 'errors.html'],
    ['systemd', 'install.html'],
  ])('a search for %s finds %s among the first five', (query, page) => {
    const [file = ''] = assets.filter((name) => /search-.*\.json$/.test(name));
    const index = new SearchIndex(JSON.parse(readFileSync(join(BUILT, file), 'utf8')) as IndexEntry[]);

    const found = index.find(query, 5).map(({ entry }) => entry.address.split('#')[0]);

    expect(found).toContain(page);
  });
});

function isThere(from: string, address: string): boolean {
  if (/^(?:https:|mailto:)/.test(address)) return true;
  const [file = '', anchor] = address.split('#');
  const target = file === '' ? from : file;
  if (anchor === undefined) return pages.includes(target) || assets.includes(target);
  return pages.includes(target) && idsIn(target).includes(anchor);
}

function addressesIn(name: string): string[] {
  const text = withoutCode(texts.get(name) ?? '');
  return Array.from(text.matchAll(/\s(?:href|src|data-index)="([^"]*)"/g), ([, address = '']) => address);
}

function idsIn(name: string): string[] {
  return Array.from(withoutCode(texts.get(name) ?? '').matchAll(/\sid="([^"]*)"/g), ([, id = '']) => id);
}

/** Escaped code cannot be markup, but reads like it. */
function withoutCode(text: string): string {
  return text.replaceAll(/<pre.*?<\/pre>|<code.*?<\/code>/gs, '');
}
