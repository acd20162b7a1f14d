import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { EXIT } from '../../exit-codes.js';
import { decode, unreadable } from '../flags/content-input.js';
import { CommandError } from '../output/explain-error.js';
import { isArchive, openArchive } from './archive.js';
import { type Format, openForeign } from './foreign.js';
import { readItem } from './item.js';
import type { Item } from './sender.js';
import type { TextFile } from './text-files.js';

/** A memory or text file to import, or the reason why a line or file is not one. */
export type Entry = { at: string; item: Item } | { at: string; file: TextFile } | { at: string; fault: string };

export interface Source {
  /** Reads from the start on each call. */
  entries: () => AsyncIterable<Entry>;
  /** Undefined if only reading everything would show it. */
  total: number | undefined;
  /** True if the memories keep their ids and times, like those of an archive. */
  keepsIds?: true;
}

const TEXT_FILES = new Set(['.md', '.markdown', '.txt']);

/**
 * Opens an archive, lines of JSON, a text file or a folder of text files. The path of a text file becomes its external key.
 *
 * @throws {CommandError} if the path cannot be read
 */
export async function openSource(path: string, scopeSource: string, format?: Format): Promise<Source> {
  const stats = await statOf(path);
  if (stats.isDirectory()) {
    const files = await textFiles(path);
    if (files.length === 0) throw fault(`${path} contains no .md, .markdown or .txt files`);
    return { entries: () => readFiles(path, files, scopeSource), total: files.length };
  }
  if (format === undefined && TEXT_FILES.has(extname(path).toLowerCase())) {
    return { entries: () => readFiles(dirname(path), [basename(path)], scopeSource), total: 1 };
  }
  if (format !== undefined) return openForeign(path, format);
  if (await isArchive(path)) return openArchive(path);
  if (!(await beginsAsObject(path))) {
    throw fault(
      `${path} has no lines of JSON: each line must be an object. A text file ends in .md, .markdown or .txt`,
    );
  }
  return { entries: () => readLines(path), total: await countLines(path) };
}

async function* readLines(path: string): AsyncGenerator<Entry> {
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    if (line.trim() !== '') yield { at: `line ${number}`, ...readItem(line) };
  }
}

/** Reports if the first line of a file begins like an object, or if the file has none. */
async function beginsAsObject(path: string): Promise<boolean> {
  for await (const line of linesOf(path)) if (line.trim() !== '') return line.trimStart().startsWith('{');
  return true;
}

async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const line of linesOf(path)) if (line.trim() !== '') count += 1;
  return count;
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
}

async function* readFiles(folder: string, files: readonly string[], source: string): AsyncGenerator<Entry> {
  for (const file of files) {
    const content = decode(await readFile(join(folder, file)), file);
    if (content.trim() === '') yield { at: file, fault: 'the file is empty' };
    else yield { at: file, file: { content, path: file, source } };
  }
}

/** Lists paths below the folder with forward slashes, in the same order on every machine. */
async function textFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && TEXT_FILES.has(extname(entry.name).toLowerCase()))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof stat>>> {
  try {
    return await stat(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function fault(message: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage });
}
