import type { ImportedVersion } from './generated/types.gen.js';
import type { ImportItem } from './transport/requests.js';

/** A record of an archive in the form that `importMemories` accepts. */
export type ArchiveItem = ImportItem | ImportedVersion;

/** The archive is damaged, incomplete or in another format. Nothing was imported. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

const FIELDS = [
  'id',
  'content',
  'metadata',
  'externalKey',
  'scope',
  'subjectKey',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'expiresAt',
  'distinct',
] as const satisfies readonly (keyof ImportItem)[];
const VERSION_FIELDS = [
  'memoryId',
  'version',
  'content',
  'metadata',
  'subjectKey',
  'updatedAt',
  'replacedAt',
] as const satisfies readonly (keyof ImportedVersion)[];

/**
 * Converts a line to a memory or version in the form that `importMemories` accepts.
 *
 * @throws {ArchiveError} if the line is neither
 */
export function toImportItem(line: string): ArchiveItem {
  const record = readRecord(line);
  const fields = record.kind === 'version' ? VERSION_FIELDS : FIELDS;
  const known = fields.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]);
  return Object.fromEntries(known) as unknown as ArchiveItem;
}

/** The fields that order an import: the last change of a memory, or the memory of a version. */
export interface Ordered {
  id?: string;
  updatedAt?: string;
  memoryId?: string;
}

/**
 * Sorts memories by their last change, with the versions of each memory after it. Only this order lets an import keep all
 * times.
 */
export function inImportOrder<T extends Ordered>(records: readonly T[]): T[] {
  const changedAt = new Map<string | undefined, string>();
  for (const { id, updatedAt = '', memoryId } of records) if (memoryId === undefined) changedAt.set(id, updatedAt);
  const timeOf = ({ updatedAt = '', memoryId }: T) =>
    memoryId === undefined ? updatedAt : (changedAt.get(memoryId) ?? '');
  return [...records].sort((one, other) => compare(timeOf(one), timeOf(other)));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Parses a line. Only a record that is not a memory has a `kind`. */
export function readRecord(line: string): Record<string, unknown> {
  const record = parseObject(line);
  if (!record) throw new ArchiveError('The archive is damaged: a line is not a JSON object');
  if (record.kind !== undefined && record.kind !== 'version') {
    throw new ArchiveError(`The archive contains records of kind ${String(record.kind)}: use a newer release`);
  }
  return record;
}

/** Returns undefined if the line is not a JSON object. */
export function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
