import type { ImportedVersion, ImportItem } from './generated/types.gen.js';

/** A record of an archive, as `importMemories` takes it. */
export type ArchiveItem = ImportItem | ImportedVersion;

/** An archive that is damaged, cut off, or of another format. Nothing of it was written. */
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
 * The memory or the version of a line, as `importMemories` takes it.
 *
 * @throws {ArchiveError} for a line that is neither
 */
export function toImportItem(line: string): ArchiveItem {
  const record = readRecord(line);
  const fields = record.kind === 'version' ? VERSION_FIELDS : FIELDS;
  const known = fields.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]);
  return Object.fromEntries(known) as unknown as ArchiveItem;
}

/** What places a record in an import: the last change of a memory, or the memory of a version. */
export interface Ordered {
  id?: string;
  updatedAt?: string;
  memoryId?: string;
}

/**
 * The records of an archive in the order in which an import keeps all times of the memories: by their last change, each
 * memory with its versions after it.
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

/** A line that is no memory says so in `kind`. */
export function readRecord(line: string): Record<string, unknown> {
  const record = parseObject(line);
  if (!record) throw new ArchiveError('The archive is damaged: a line is no JSON object');
  if (record.kind !== undefined && record.kind !== 'version') {
    throw new ArchiveError(`The archive holds records of the kind ${String(record.kind)}: a newer release reads it`);
  }
  return record;
}

/** Undefined for what is no JSON object. */
export function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
