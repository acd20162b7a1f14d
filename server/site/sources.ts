import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Pages whose names in the site differ from their paths. */
const NAMES: Readonly<Record<string, string>> = {
  'docs/README.md': 'index.html',
  'README.md': 'start.html',
  'openapi.yaml': 'api.html',
};
const IMAGE = /\.(?:png|svg)$/;
const ADDRESS = /^[a-z]+:/;

export interface Source {
  /** Path from the root of the repository. */
  file: string;
  /** Name of its page in the site. */
  name: string;
  kind: 'page' | 'file' | 'image';
  content: Buffer;
}

/** Returns every page of docs/, README.md, and what they link to in the repository, by path. */
export function findSources(root: string): ReadonlyMap<string, Source> {
  const pages = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const files = new Set(['README.md', ...pages]);
  const sources = new Map<string, Source>();
  for (const file of files) {
    if (file === 'openapi.yaml') continue;
    const source = read(root, file);
    sources.set(file, source);
    if (source.kind !== 'page') continue;
    for (const target of targetsOf(source.content.toString())) {
      if (!ADDRESS.test(target) && !target.startsWith('#')) files.add(fileOf(file, target));
    }
  }
  return sources;
}

/**
 * Returns the address of a link's target in the site.
 *
 * @throws {Error} if the site has no such page
 */
export function addressOf(sources: ReadonlyMap<string, Source>, from: string, target: string): string {
  if (ADDRESS.test(target) || target.startsWith('#')) return target;
  const file = fileOf(from, target);
  const name = sources.get(file)?.name ?? NAMES[file];
  if (name === undefined) throw new Error(`${from} links to ${target}, which the site lacks`);
  const at = target.indexOf('#');
  return at === -1 ? name : name + target.slice(at);
}

function read(root: string, file: string): Source {
  const path = join(root, file);
  if (!existsSync(path)) throw new Error(`a page links to ${file}, which does not exist`);
  // The page of a folder lists what is in it.
  const content = statSync(path).isFile() ? readFileSync(path) : Buffer.from(readdirSync(path).join('\n'));
  if (IMAGE.test(file)) return { file, name: file.replaceAll('/', '-'), kind: 'image', content };
  return { file, name: nameOf(file), kind: file.endsWith('.md') ? 'page' : 'file', content };
}

/** All pages are in one folder, so that links between them have no path. */
function nameOf(file: string): string {
  const own = NAMES[file];
  if (own !== undefined) return own;
  if (!file.endsWith('.md')) return `file-${file.replaceAll('/', '-')}.html`;
  return `${file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replaceAll('/', '-')
    .toLowerCase()}.html`;
}

function fileOf(from: string, target: string): string {
  const [path = ''] = target.split('#');
  return normalize(join(dirname(from), path)).replace(/\/$/, '');
}

/** Returns the targets of the links and images of a document, outside of its blocks of code. */
function targetsOf(markdown: string): string[] {
  const text = markdown.replaceAll(/^```.*?^```$/gms, '');
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
}
