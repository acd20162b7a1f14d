import type { OrganizationSettings } from '../../domain/account/organization.js';
import { invalid } from '../../domain/invalid.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import { type Microseconds, parseTimestamp } from '../../domain/timestamp.js';
import type { TextRow } from '../../ports/text-work.js';
import { type Draft, draftMemory, type MemoryInput } from './draft.js';
import type { WriteDeps } from './write.js';

/** A memory from an export, with its id and times. */
export interface ImportInput extends Omit<MemoryInput, 'dedupe' | 'restoreDeleted'> {
  id?: string;
  distinct?: true;
  createdAt?: string;
  updatedAt?: string;
  deletedAt?: string;
}

/** An earlier version of a memory, from an export. */
export interface VersionInput extends Pick<MemoryInput, 'content' | 'metadata' | 'subjectKey'> {
  memoryId: string;
  version: number;
  updatedAt: string;
  replacedAt: string;
}

/** A checked memory of an import. */
export interface Arrival extends Draft {
  id?: string;
  createdAt?: Microseconds;
  updatedAt?: Microseconds;
  deletedAt?: Microseconds;
}

/** The clock of an organization may be this far ahead of the wall clock. */
const CLOCK_LEAD_US = 1_000_000;

export async function checkArrival(
  deps: WriteDeps,
  settings: OrganizationSettings,
  input: ImportInput,
  row: TextRow,
): Promise<Arrival> {
  // A memory that expired since the export is soft-deleted soon, as in the organization that it came from.
  const { expiresAt, ...rest } = input;
  const dedupe = input.distinct ? 'off' : undefined;
  const draft = await draftMemory(deps, settings, { ...rest, dedupe, metadata: withoutMirror(input) }, row);
  if (expiresAt != null) draft.expiresAt = parseTimestamp(expiresAt, 'expiresAt');
  const read = (path: 'createdAt' | 'updatedAt' | 'deletedAt') => readPast(deps, input[path], path);
  const [createdAt, updatedAt, deletedAt] = [read('createdAt'), read('updatedAt'), read('deletedAt')];
  const { id } = input;
  if (deletedAt !== undefined && id === undefined) throw invalid('id', 'is required for a deleted memory');
  assertOrder('updatedAt', createdAt, updatedAt);
  assertOrder('deletedAt', createdAt, deletedAt);
  assertOrder('updatedAt', deletedAt, updatedAt);
  return {
    ...draft,
    ...(id !== undefined && { id }),
    ...(createdAt !== undefined && { createdAt }),
    ...(updatedAt !== undefined && { updatedAt }),
    ...(deletedAt !== undefined && { deletedAt }),
  };
}

export async function checkVersion(
  deps: WriteDeps,
  settings: OrganizationSettings,
  input: VersionInput,
  row: TextRow,
): Promise<MemoryVersion> {
  const { memoryId, version, updatedAt: from, replacedAt: until, ...state } = input;
  const { content, metadata, subjectKey } = await draftMemory(deps, settings, state, row);
  const updatedAt = parseTimestamp(from, 'updatedAt');
  const replacedAt = parseTimestamp(until, 'replacedAt');
  if (replacedAt <= updatedAt) throw invalid('replacedAt', 'must be after updatedAt');
  return {
    memoryId,
    number: version,
    content,
    metadata,
    ...(subjectKey !== undefined && { subjectKey }),
    updatedAt,
    replacedAt,
  };
}

/** Returns the metadata without the keys that an export repeats there with SERVICE_METADATA_MIRROR. */
function withoutMirror({ metadata, externalKey, subjectKey }: ImportInput): MemoryInput['metadata'] {
  const isMirrored = ([name, value]: [string, unknown]) =>
    (name === 'externalKey' && value === externalKey) || (name === 'subjectKey' && value === subjectKey);
  return metadata && Object.fromEntries(Object.entries(metadata).filter((entry) => !isMirrored(entry)));
}

function readPast(deps: WriteDeps, text: string | undefined, path: string): Microseconds | undefined {
  if (text === undefined) return undefined;
  const time = parseTimestamp(text, path);
  if (time > deps.now() + CLOCK_LEAD_US) throw invalid(path, 'must not be in the future');
  return time;
}

function assertOrder(path: string, earlier: Microseconds | undefined, later: Microseconds | undefined): void {
  if (earlier === undefined || later === undefined || earlier <= later) return;
  throw invalid(path, 'must not be before an earlier time of the memory');
}
