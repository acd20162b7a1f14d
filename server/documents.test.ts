import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = ['sdk', 'mcp', 'ai-sdk', 'langgraph', 'cli', 'conformance', 'server'];
/** Pages that name files of the repository. */
const GUIDES = ['docs/contributing.md', 'docs/architecture.md', 'AGENTS.md'];
/** Files that the build or a deployment writes. */
const WRITTEN = /(?:^|\/)(?:dist|generated)\//;
const TOP_FOLDER = /^(?:server|sdk|mcp|ai-sdk|langgraph|cli|conformance|examples|docs|\.ci)\/[\w./-]+$/;

const pages = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...pages,
  ...PACKAGES.map((name) => `${name}/README.md`),
];

interface Link {
  file: string;
  anchor: string | undefined;
}

describe.each(documents)('%s', (document) => {
  test('links only to files and headings that exist', () => {
    const broken = linksOf(document).filter(({ file, anchor }) => !isThere(file, anchor));

    expect(broken).toEqual([]);
  });
});

test('README.md or the index of docs/ links to every page', () => {
  const linked = ['README.md', 'docs/README.md'].flatMap(linksOf).map(({ file }) => file);

  expect(pages.filter((page) => page !== 'docs/README.md' && !linked.includes(page))).toEqual([]);
});

test('README.md links to the index of docs/', () => {
  expect(linksOf('README.md').map(({ file }) => file)).toContain('docs/README.md');
});

test.each(GUIDES)('%s names only files that exist', (guide) => {
  const named = Array.from(read(guide).matchAll(/`([^`\s]+)`/g), ([, name = '']) => name)
    .filter((name) => TOP_FOLDER.test(name) && !WRITTEN.test(`${name}/`))
    .filter((name) => !existsSync(join(ROOT, name)));

  expect(named).toEqual([]);
});

test('docs/troubleshooting.md quotes only texts of the server', () => {
  const texts = readdirSync(join(ROOT, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?!dist|dashboard|testing).*(?<!\.test)\.ts$/.test(file))
    .map((file) => read(`server/${file}`).replaceAll(/['`] \+\s*['`]/g, ''))
    .join('\n');
  const quoted = Array.from(read('docs/troubleshooting.md').matchAll(/^\| (.*?) \|/gm), ([, cell = '']) => cell)
    .flatMap((cell) => Array.from(cell.matchAll(/`([^`]*)`/g), ([, quote = '']) => quote))
    .flatMap((quote) => quote.split('…').map((part) => part.trim()))
    .filter((part) => part.includes(' ') && !part.startsWith('curl '));

  expect(quoted.filter((part) => !texts.includes(part))).toEqual([]);
  expect(quoted.length).toBeGreaterThan(20);
});

function isThere(file: string, anchor: string | undefined): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  if (anchor === undefined) return true;
  return statSync(join(ROOT, file)).isFile() && anchorsOf(file).has(anchor);
}

/** Returns the relative links and images of a document, with their paths from the root. */
function linksOf(document: string): Link[] {
  return Array.from(withoutBlocks(read(document)).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { file: path === '' ? document : normalize(join(dirname(document), path)), anchor };
    });
}

/** Returns the anchors that GitHub creates for the headings of a document. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(read(document)).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    for (let count = 0; ; count += 1) {
      const unique = count === 0 ? anchor : `${anchor}-${count}`;
      if (anchors.has(unique)) continue;
      anchors.add(unique);
      break;
    }
  }
  return anchors;
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '');
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
