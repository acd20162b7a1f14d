import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the paths of the files that a build reads from a folder: those that .dockerignore leaves. */
export async function contextFiles(root) {
  const isIgnored = readIgnored(await readFile(join(root, '.dockerignore'), 'utf8'));
  const files = [];
  const folders = [''];
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isIgnored(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else files.push(path);
    }
  }
  return files;
}

/** Returns which paths the text of a .dockerignore excludes. */
export function readIgnored(text) {
  const patterns = text
    .split('\n')
    .map((line) => line.trim().replace(/\/$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
  const negated = patterns.find((pattern) => pattern.startsWith('!'));
  if (negated !== undefined) throw new Error(`.dockerignore: ${negated}: exceptions are not known`);
  const expressions = patterns.map((pattern) => {
    const parts = pattern.split('**/').map((part) => part.split('*').map(escaped).join('[^/]*'));
    return new RegExp(`^${parts.join('(?:.*/)?')}(?:/|$)`);
  });
  return (path) => expressions.some((expression) => expression.test(path));
}

function escaped(text) {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
}
