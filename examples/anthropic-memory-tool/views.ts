import type { MemoryFile } from './files.js';

const LEVELS = 2;
const HIDDEN = /\/(\.|node_modules(\/|$))/;

/** Numbers lines as the tool shows them. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}

/** Lists the files and folders of a folder with their sizes. */
export function listing(folder: string, files: readonly MemoryFile[]): string {
  const sizes = new Map<string, number>([[folder, 0]]);
  for (const { path, text } of files) {
    const names = path.slice(folder.length + 1).split('/');
    for (let level = 0; level <= names.length; level += 1) {
      const at = [folder, ...names.slice(0, level)].join('/');
      sizes.set(at, (sizes.get(at) ?? 0) + Buffer.byteLength(text));
    }
  }
  const depthOf = (path: string) => path.slice(folder.length).split('/').length - 1;
  const lines = [...sizes]
    .filter(([path]) => depthOf(path) <= LEVELS && !HIDDEN.test(path.slice(folder.length)))
    .map(([path, size]) => `${sizeOf(size)}\t${path}`);
  const title = `Here're the files and directories up to ${LEVELS} levels deep in ${folder}, excluding hidden items and node_modules:`;
  return [title, ...lines].join('\n');
}

function sizeOf(bytes: number): string {
  return bytes < 1_024 ? `${bytes}B` : `${(bytes / 1_024).toFixed(1)}K`;
}
