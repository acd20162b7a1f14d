#!/usr/bin/env node
// Holds the documents to what they are about. Their shell blocks are run: see shell-blocks/run.mjs. Their code is that of
// programs: a block that follows
//
//   <!-- snippet: examples/quickstart.ts#quickstart -->
//
// must be the region of that name in that file, which is marked by `// #region quickstart` and `// #endregion
// quickstart`. `--write` puts the regions into the documents. Code for the client in docs/, or in the README.md of a package,
// that is taken from nowhere is a fault too, unless `<!-- no snippet: reason -->` stands before it; in README.md at the top
// it is only named.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK, ROOT, readDocuments } from './documents.mjs';
import { runShellBlocks } from './shell-blocks/run.mjs';

const OF_THE_CLIENT = /from '@memory-service\//;

const writes = process.argv.includes('--write');
const faults = [];
let held = 0;

for (const { path, name, text } of await readDocuments()) {
  const taken = await takeSnippets(text, name);
  if (writes && taken !== text) await writeFile(path, taken);
}
console.log(`${held} snippets hold`);
if (!writes) faults.push(...(await runShellBlocks()));

for (const fault of faults) console.error(`fault: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Returns the text of a document with the current code of every snippet. */
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
