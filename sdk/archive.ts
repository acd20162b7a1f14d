import {
  ArchiveError,
  type ArchiveItem,
  inImportOrder,
  parseObject,
  readRecord,
  toImportItem,
} from './archive-record.js';
import type { MemoryClient } from './client.js';
import { defaultLimits, exportMemoriesBounds } from './generated/constants.gen.js';
import type { ImportResponse } from './generated/types.gen.js';
import type { CallOptions, ExportQuery } from './options.js';

export { ArchiveError, type ArchiveItem, inImportOrder, toImportItem } from './archive-record.js';

/**
 * The first line of an archive. The lines after it are one JSON object each: the memories, as `export` gives them, then
 * their versions, as `versions.export` gives them, with the `kind` `version`.
 */
export interface ArchiveHeader {
  archive: 'memory-service';
  /** Of the format. Archives of version 1 have no versions of memories. */
  version: 1 | 2;
  organizationId?: string | undefined;
  exportedAt: string;
  counts: { memories: number; deleted: number; versions?: number };
  /** `sha256:` and the digest of the SHA-256 digests of all lines after this one, one after the other. */
  digest: string;
}

export interface ImportedArchive {
  header: ArchiveHeader;
  /** Memories that were stored. */
  created: number;
  /** Memories that the organization had already. */
  present: number;
  versions: ImportedVersions;
  failures: ArchiveFailure[];
}

/** What became of the earlier states of memories. */
export interface ImportedVersions {
  created: number;
  /** Versions that the organization had already. */
  present: number;
  /** Versions beyond those that the organization keeps (`keptVersions`). */
  notKept: number;
}

/** Why a memory, or a version of one, was refused. */
export interface ArchiveFailure {
  /** Of the memory. */
  id: string | undefined;
  version?: number;
  code: string;
  message: string;
}

const VERSION = 2;
const READ_VERSIONS: readonly unknown[] = [1, VERSION];
/** UTF-16 code units of one request, which are at most three bytes each. */
const REQUEST_CHARS = 8 * 1024 * 1024;
/** What ends an import: no later memory would fare better. */
const FATAL = ['quota_exceeded', 'subject_key_invalid'];
/** Counts the lines of an archive and computes their digest. */
export class ArchiveTally {
  readonly counts = { memories: 0, deleted: 0, versions: 0 };
  readonly #digests: Uint8Array[] = [];

  /**
   * @param line without its end
   * @throws {ArchiveError} for a line that is neither a memory nor a version
   */
  async add(line: string): Promise<void> {
    const { kind, deletedAt } = readRecord(line);
    this.counts[kind === 'version' ? 'versions' : 'memories'] += 1;
    if (deletedAt !== undefined) this.counts.deleted += 1;
    this.#digests.push(await sha256(new TextEncoder().encode(line)));
  }

  async header(organizationId?: string): Promise<ArchiveHeader> {
    const all = new Uint8Array(this.#digests.length * 32);
    for (const [index, digest] of this.#digests.entries()) all.set(digest, index * 32);
    const hex = Array.from(await sha256(all), (byte) => byte.toString(16).padStart(2, '0'));
    return {
      archive: 'memory-service',
      version: VERSION,
      ...(organizationId !== undefined && { organizationId }),
      exportedAt: new Date().toISOString(),
      counts: { ...this.counts },
      digest: `sha256:${hex.join('')}`,
    };
  }
}

/**
 * The lines of an archive after its header: memories, deleted ones too, then the versions of these. A state that was
 * replaced after its memory was read is left out.
 *
 * @param filter of the memories; with a subject key also of their versions
 */
export async function* exportRecords(
  client: Pick<MemoryClient, 'export' | 'versions'>,
  { filter, ...options }: CallOptions & Pick<ExportQuery, 'filter'> = {},
): AsyncGenerator<string, void, undefined> {
  const changedAt = new Map<string, string>();
  const limit = exportMemoriesBounds.limit.maximum;
  for await (const memory of client.export({ filter, includeDeleted: true, limit }, options)) {
    changedAt.set(memory.id, memory.updatedAt);
    yield JSON.stringify(memory);
  }
  const subjectKey = filter?.subjectKey;
  for await (const version of client.versions.export({ limit }, options)) {
    const isOfMemory = version.replacedAt <= (changedAt.get(version.memoryId) ?? '');
    const isAboutSubject = subjectKey === undefined || version.subjectKey === subjectKey;
    if (isOfMemory && isAboutSubject) yield JSON.stringify({ kind: 'version', ...version });
  }
}

/**
 * Everything of an organization as the lines of an archive, its header first: ids, keys, scopes, subjects, times,
 * deleted memories, versions. The lines are held in memory until the last one is known.
 */
export async function* exportAll(
  client: Pick<MemoryClient, 'export' | 'session' | 'versions'>,
  options: CallOptions = {},
): AsyncGenerator<string, void, undefined> {
  const tally = new ArchiveTally();
  const lines: string[] = [];
  for await (const line of exportRecords(client, options)) {
    await tally.add(line);
    lines.push(line);
  }
  const { organization } = await client.session.get(options);
  yield JSON.stringify(await tally.header(organization?.id));
  yield* lines;
}

/**
 * Reads the header of an archive.
 *
 * @throws {ArchiveError}
 */
export function readArchiveHeader(line: string): ArchiveHeader {
  const header = parseObject(line) as Partial<ArchiveHeader> | undefined;
  if (header?.archive !== 'memory-service') throw new ArchiveError('This is no archive: its first line is no header');
  if (!READ_VERSIONS.includes(header.version)) {
    const known = READ_VERSIONS.join(' and ');
    throw new ArchiveError(`The archive has version ${header.version} and this release reads ${known}`);
  }
  if (typeof header.digest !== 'string' || typeof header.counts?.memories !== 'number') {
    throw new ArchiveError('The header of the archive is damaged');
  }
  return header as ArchiveHeader;
}

/**
 * Reads an archive to its end and compares it with its header.
 *
 * @throws {ArchiveError} when it is damaged or cut off
 */
export async function verifyArchive(lines: AsyncIterable<string> | Iterable<string>): Promise<ArchiveHeader> {
  const tally = new ArchiveTally();
  let header: ArchiveHeader | undefined;
  for await (const line of lines) {
    if (header) await tally.add(line);
    else header = readArchiveHeader(line);
  }
  if (!header) throw new ArchiveError('The archive is empty');
  const { counts, digest } = await tally.header();
  for (const kind of ['memories', 'versions'] as const) {
    const [found, wanted] = [counts[kind], header.counts[kind] ?? 0];
    if (found !== wanted) throw new ArchiveError(`The archive is cut off: it holds ${found} of ${wanted} ${kind}`);
  }
  if (digest !== header.digest) throw new ArchiveError('The archive is damaged: its digest is another one');
  return header;
}

/**
 * Brings everything of an archive into the client's organization, once all of it was read and found whole. Memories that
 * are there already stay as they are: after a failure, the same call goes on.
 *
 * @throws {ArchiveError} when the archive is damaged or cut off, with nothing written
 * @throws {ArchiveImportError} when the organization takes no more
 */
export async function importAll(
  client: Pick<MemoryClient, 'importMemories'>,
  lines: AsyncIterable<string> | Iterable<string>,
  { batchItems = defaultLimits.batchItems, ...options }: CallOptions & { batchItems?: number | undefined } = {},
): Promise<ImportedArchive> {
  const held: string[] = [];
  const header = await verifyArchive(keep(lines, held));
  const items = inImportOrder(held.slice(1).map(toImportItem));
  const versions = { created: 0, present: 0, notKept: 0 };
  const imported: ImportedArchive = { header, created: 0, present: 0, versions, failures: [] };
  for (const batch of batchesOf(items, batchItems)) {
    const { results } = await client.importMemories({ items: batch }, options);
    for (const result of results) note(imported, result, batch[result.index]);
    const fatal = imported.failures.find(({ code }) => FATAL.includes(code));
    if (fatal) throw new ArchiveImportError(fatal, imported);
  }
  return imported;
}

/** An import ended before its end. What was stored before stays. */
export class ArchiveImportError extends Error {
  override name = 'ArchiveImportError';
  readonly code: string;

  constructor(
    { code, message }: ArchiveFailure,
    readonly imported: ImportedArchive,
  ) {
    super(`The import stopped after ${imported.created + imported.present} memories: ${message}`);
    this.code = code;
  }
}

async function* keep(lines: AsyncIterable<string> | Iterable<string>, held: string[]): AsyncGenerator<string> {
  for await (const line of lines) {
    held.push(line);
    yield line;
  }
}

function* batchesOf(items: readonly ArchiveItem[], most: number): Generator<ArchiveItem[]> {
  let batch: ArchiveItem[] = [];
  let chars = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (batch.length > 0 && (batch.length >= most || chars + size > REQUEST_CHARS)) {
      yield batch;
      [batch, chars] = [[], 0];
    }
    batch.push(item);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

function note(imported: ImportedArchive, result: ImportResponse['results'][number], item?: ArchiveItem): void {
  const version = item && 'memoryId' in item ? item : undefined;
  const id = item && 'memoryId' in item ? item.memoryId : item?.id;
  if ('error' in result) imported.failures.push({ id, ...(version && { version: version.version }), ...result.error });
  else if (result.outcome === 'not_kept') imported.versions.notKept += 1;
  else (version ? imported.versions : imported)[result.outcome] += 1;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
