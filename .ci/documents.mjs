import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A fenced block, with the mark before it that says where its code is taken from. */
export const BLOCK =
  /(?<mark>^<!-- (?<kind>snippet|no snippet): (?<source>[^\n]*?) -->\n+)?^```(?<language>\w*)\n(?<code>.*?)^```$/gms;

/** Folders of the packages that are published. */
export const PUBLISHED = ['sdk', 'mcp', 'ai-sdk', 'langgraph', 'cli', 'conformance', 'server'];

/** README.md, the pages of docs/ and the README.md of each package, in the order in which a reader finds them. */
export async function readDocuments() {
  const pages = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).sort();
  const names = ['README.md', ...pages.map((name) => `docs/${name}`), ...PUBLISHED.map((name) => `${name}/README.md`)];
  const paths = names.map((name) => join(ROOT, name));
  return Promise.all(
    paths.map(async (path) => ({ path, name: relative(ROOT, path), text: await readFile(path, 'utf8') })),
  );
}
