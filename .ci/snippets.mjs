#!/usr/bin/env node
// Holds the code in the documents to the programs that it is taken from. A block that follows
//
//   <!-- snippet: examples/quickstart.ts#quickstart -->
//
// must be the region of that name in that file, which is marked by `// #region quickstart` and `// #endregion
// quickstart`. `--write` puts the regions into the documents. Code for the client in docs/ that is taken from nowhere is a
// fault too, unless `<!-- no snippet: reason -->` stands before it; in README.md it is only named.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BLOCK =
  /(?<mark>^<!-- (?<kind>snippet|no snippet): (?<source>[^\n]*?) -->\n+)?^```(?<language>\w*)\n(?<code>.*?)^```$/gms;
const OF_THE_CLIENT = /from 'memory-service\//;

const writes = process.argv.includes('--write');
const faults = [];
let held = 0;

for (const path of await documents()) {
  const text = await readFile(path, 'utf8');
  const taken = await takeSnippets(text, relative(ROOT, path));
  if (writes && taken !== text) await writeFile(path, taken);
}

for (const fault of faults) console.error(`fault: ${fault}`);
console.log(`${held} snippets hold`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function documents() {
  const docs = await readdir(join(ROOT, 'docs'));
  return [
    join(ROOT, 'README.md'),
    ...docs.filter((name) => name.endsWith('.md')).map((name) => join(ROOT, 'docs', name)),
  ];
}

/** The text of a document with every snippet as its region is. */
async function takeSnippets(text, name) {
  let taken = '';
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    taken += text.slice(end, match.index) + (await takeSnippet(match, name));
    end = match.index + match[0].length;
  }
  return taken + text.slice(end);
}

async function takeSnippet({ 0: block, groups }, name) {
  const { mark = '', kind, source = '', language, code } = groups;
  if (kind !== 'snippet') {
    if (kind === undefined && OF_THE_CLIENT.test(code)) tellLoose(name, code);
    return block;
  }
  const region = await readRegion(source);
  if (region === undefined) {
    faults.push(`${name}: there is no region ${source}`);
    return block;
  }
  if (region === code) held += 1;
  else if (writes) console.log(`${name}: took ${source}`);
  else faults.push(`${name}: differs from ${source}; npm run snippets -- --write takes it`);
  return `${mark}\`\`\`${language}\n${region}\`\`\``;
}

/** The lines between the marks of a region, without the indentation that all of them share. */
async function readRegion(source) {
  const [file, region] = source.split('#');
  const text = await readFile(join(ROOT, file), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  const last = lines.findIndex((line) => line.trim() === `// #endregion ${region}`);
  if (first < 0 || last < first) return undefined;
  const inside = lines.slice(first + 1, last);
  const indents = inside.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  return inside.map((line) => `${line.slice(Math.min(...indents))}\n`).join('');
}

function tellLoose(name, code) {
  const text = `${name}: code from nowhere: ${code.split('\n')[0]}`;
  if (name === 'README.md') console.log(`note: ${text}`);
  else faults.push(text);
}
