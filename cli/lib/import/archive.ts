import { open } from 'node:fs/promises';
import {
  ArchiveError,
  type ArchiveItem,
  inImportOrder,
  readArchiveHeader,
  toImportItem,
  verifyArchive,
} from '@memory-service/sdk/archive';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';
import { placedLines } from './lines.js';
import type { Entry, Source } from './source.js';

/** The position of a memory or version in the file. */
interface Place {
  id?: string;
  updatedAt?: string;
  memoryId?: string;
  start: number;
  length: number;
}

/** Reports if a file starts with the header of an archive. */
export async function isArchive(path: string): Promise<boolean> {
  for await (const { text } of placedLines(path)) {
    try {
      readArchiveHeader(text);
      return true;
    } catch (error) {
      // An archive of another format version is detected too. Reading it then fails.
      return error instanceof ArchiveError && /^\s*\{"archive":/.test(text);
    }
  }
  return false;
}

/**
 * Verifies an archive, then returns its memories and versions in the order that lets an import keep all times.
 *
 * @throws {CommandError} if it is damaged or incomplete
 */
export async function openArchive(path: string): Promise<Source> {
  const places: Place[] = [];
  try {
    await verifyArchive(note(path, places));
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new CommandError(`${path}: ${error.message}. Nothing was imported`, { exit: EXIT.usage });
  }
  const inOrder = inImportOrder(places);
  return { entries: () => entriesAt(path, inOrder), total: inOrder.length, keepsIds: true };
}

async function* note(path: string, places: Place[]): AsyncGenerator<string, void, undefined> {
  let isHeader = true;
  for await (const { text, start, length } of placedLines(path)) {
    if (!isHeader) places.push({ ...orderOf(toImportItem(text)), start, length });
    isHeader = false;
    yield text;
  }
}

async function* entriesAt(path: string, places: readonly Place[]): AsyncGenerator<Entry, void, undefined> {
  await using file = await open(path);
  for (const { start, length } of places) {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
    const item = toImportItem(buffer.toString('utf8'));
    yield { at: nameOf(item), item };
  }
}

function orderOf(item: ArchiveItem): Pick<Place, 'id' | 'updatedAt' | 'memoryId'> {
  if ('memoryId' in item) return { memoryId: item.memoryId };
  const { id, updatedAt } = item;
  return { ...(id !== undefined && { id }), ...(updatedAt !== undefined && { updatedAt }) };
}

function nameOf(item: ArchiveItem): string {
  return 'memoryId' in item ? `version ${item.version} of memory ${item.memoryId}` : `memory ${item.id}`;
}
