import { escapeHtml } from './html.js';
import type { Entry, Group } from './navigation.js';

/** Addresses of the files that every page loads. */
export interface Assets {
  style: string;
  script: string;
  icon: string;
  index: string;
}

export interface Page extends Entry {
  html: string;
  /** Headings that the page lists beside its content. */
  headings: readonly { anchor: string; text: string }[];
}

const SITE = 'Memory Service';
/** Fewer headings need no list. */
const MIN_HEADINGS = 3;

/** Returns the whole document of a page. It has no inline script or style, which the policy of the server forbids. */
export function layOut(page: Page, groups: readonly Group[], assets: Assets): string {
  const title = page.title === SITE ? SITE : `${page.title} · ${SITE}`;
  return `<!doctype html>
<html lang="en" data-index="${assets.index}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="index.html"><img src="${assets.icon}" alt="" width="22" height="22">${SITE}</a>
<search hidden>
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<div class="found" hidden><p role="status"></p><ul></ul></div>
</search>
<noscript>Searching needs JavaScript.</noscript>
</header>
<div class="columns">
<nav class="pages" id="pages" aria-label="Pages">
${groups.map((group) => groupHtml(group, page.name)).join('')}</nav>
<main id="content" tabindex="-1">
${page.html}${neighboursHtml(page.name, groups)}</main>
${contentsHtml(page)}</div>
</body>
</html>
`;
}

function groupHtml({ title, entries }: Group, current: string): string {
  const items = entries.map(({ title: text, name }) => {
    const mark = name === current ? ' aria-current="page"' : '';
    return `<li><a href="${name}"${mark}>${escapeHtml(text)}</a></li>\n`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('')}</ul>\n`;
}

function contentsHtml({ headings }: Page): string {
  if (headings.length < MIN_HEADINGS) return '';
  const items = headings.map(({ anchor, text }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>\n`);
  return `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${items.join('')}</ul>\n</nav>\n`;
}

function neighboursHtml(name: string, groups: readonly Group[]): string {
  const all = groups.flatMap(({ entries }) => entries);
  const at = all.findIndex((entry) => entry.name === name);
  if (at === -1) return '';
  const link = (entry: Entry | undefined, rel: string, label: string) =>
    entry ? `<a rel="${rel}" href="${entry.name}"><small>${label}</small> ${escapeHtml(entry.title)}</a>\n` : '';
  return `<nav class="neighbours" aria-label="Neighbouring pages">\n${link(all[at - 1], 'prev', 'Previous')}${link(all[at + 1], 'next', 'Next')}</nav>\n`;
}
