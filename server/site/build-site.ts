import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Document } from '../dashboard/pages/reference/contract.js';
import { bundleScript, compactStyle, HashedFiles } from './assets.js';
import { codeBlock, escapeHtml, withoutOptionalEnds } from './html.js';
import { type Assets, layOut, type Page } from './layout.js';
import { renderMarkdown } from './markdown.js';
import { type Entry, type Group, groupsOf } from './navigation.js';
import { referencePages } from './reference/reference-pages.js';
import type { IndexEntry } from './search/search-index.js';
import { addressOf, findSources, type Source } from './sources.js';

const INDEX = 'docs/README.md';
const START: Entry = { title: 'Start here', name: 'start.html' };
/** Inline SVG would need the policy to allow its styles. */
const ICON = 'server/dashboard/design/icon.svg';
/** The last one has the rules for narrow windows. */
const STYLES = ['server/dashboard/design/tokens.css', 'server/site/styles/content.css', 'server/site/styles/frame.css'];

interface BuiltPage extends Page {
  entries: readonly IndexEntry[];
}

/** Writes the site of the repository at `root` into a folder, whose earlier content is removed. */
export async function buildSite(root: string, output: string): Promise<void> {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const assets = new HashedFiles();
  const sources = findSources(root);
  const images = new Map(
    [...sources.values()]
      .filter(({ kind }) => kind === 'image')
      .map(({ file, name, content }) => [file, assets.add(name, content)]),
  );
  const pages: BuiltPage[] = [...sources.values()]
    .filter(({ kind }) => kind !== 'image')
    .map((source) => (source.kind === 'page' ? pageOf(source, sources, images) : filePage(source)));
  const reference = referencePages(JSON.parse(read('server/generated/openapi.json')) as Document);
  const groups = navigationOf(read(INDEX), sources, pages, reference);
  const all = [...pages, ...reference];
  const shared: Assets = {
    style: assets.add('site.css', compactStyle(STYLES.map(read).join('\n'))),
    script: assets.add('site.js', await bundleScript(join(root, 'server/site/browser/main.ts'))),
    icon: assets.add('icon.svg', read(ICON)),
    index: assets.add('search.json', JSON.stringify(all.flatMap(({ entries }) => entries))),
  };

  rmSync(output, { recursive: true, force: true });
  for (const [name, content] of assets.files) write(join(output, name), content);
  // The build takes this page as the sign that the site is complete.
  const [index, ...others] = [...all].sort((one) => (one.name === 'index.html' ? -1 : 1));
  for (const page of [...others, ...(index ? [index] : [])]) {
    write(join(output, page.name), withoutOptionalEnds(layOut(page, groups, shared)));
  }
}

function pageOf(source: Source, sources: ReadonlyMap<string, Source>, images: ReadonlyMap<string, string>): BuiltPage {
  const addressFrom = (target: string) => {
    const name = addressOf(sources, source.file, target);
    const image = [...sources.values()].find((each) => each.kind === 'image' && each.name === name);
    return image ? (images.get(image.file) ?? name) : name;
  };
  const { title, html, sections } = renderMarkdown(source.content.toString(), addressFrom);
  return {
    name: source.name,
    title,
    html,
    headings: sections.filter(({ depth }) => depth === 2).map(({ anchor, heading }) => ({ anchor, text: heading })),
    entries: sections.map(({ depth, heading, anchor, text }) => ({
      page: title,
      address: depth === 1 ? source.name : `${source.name}#${anchor}`,
      heading,
      text,
    })),
  };
}

/** A page that shows a file of the repository. */
function filePage({ file, name, content }: Source): BuiltPage {
  const html = `<h1><code>${escapeHtml(file)}</code></h1>\n${codeBlock(content.toString())}`;
  return { name, title: file, html, headings: [], entries: [{ page: file, address: name, heading: file, text: '' }] };
}

function navigationOf(
  index: string,
  sources: ReadonlyMap<string, Source>,
  pages: readonly Page[],
  reference: readonly Page[],
): Group[] {
  const entryOf = (target: string): Entry => {
    const name = addressOf(sources, INDEX, target);
    return { title: pages.find((page) => page.name === name)?.title ?? name, name };
  };
  return [
    { title: 'Start', entries: [START, { title: 'All pages', name: 'index.html' }] },
    ...groupsOf(index, entryOf),
    { title: 'API', entries: reference },
  ];
}

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
