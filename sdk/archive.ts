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
 * The first line of an archive. Each further line is one JSON object: first the memories, as `export` returns them, then
 * their versions, as `versions.export` returns them, with the `kind` `version`.
 */
export interface ArchiveHeader {
  archive: 'memory-service';
  /** The version of the format. Archives of version 1 contain no versions of memories. */
  version: 1 | 2;
  organizationId?: string | undefined;
  exportedAt: string;
  counts: { memories: number; deleted: number; versions?: number };
  /** `sha256:` and the SHA-256 digest of the concatenated SHA-256 digests of all further lines. */
  digest: string;
}

export interface ImportedArchive {
  header: ArchiveHeader;
  /** Memories that were stored. */
  created: number;
  /** Memories that already existed in the organization. */
  present: number;
  versions: ImportedVersions;
  failures: ArchiveFailure[];
}

/** Counts the outcomes of imported versions. */
export interface ImportedVersions {
  created: number;
  /** Versions that already existed in the organization. */
  present: number;
  /** Versions beyond the number that the organization keeps (`keptVersions`). */
  notKept: number;
}

/** A memory, or a version of one, that was rejected, with the reason. */
export interface ArchiveFailure {
  /** The id of the memory. */
  id: string | undefined;
  version?: number;
  code: string;
  message: string;
}

const VERSION = 2;
const READ_VERSIONS: readonly unknown[] = [1, VERSION];
/** Maximum UTF-16 code units of one request. Each is at most three bytes. */
const REQUEST_CHARS = 8 * 1024 * 1024;
/** Error codes that end an import, since every later memory would fail too. */
const FATAL = ['quota_exceeded', 'subject_key_invalid'];
/** Counts the lines of an archive and computes their digest. */
export class ArchiveTally {
  readonly counts = { memories: 0, deleted: 0, versions: 0 };
  readonly #digests: Uint8Array[] = [];

  /**
   * Adds a line, given without its line break.
   *
   * @throws {ArchiveError} if the line is neither a memory nor a version
   * @example for await (const line of exportRecords(client)) await tally.add(line);
   */
  async add(line: string): Promise<void> {
    const { kind, deletedAt } = readRecord(line);
    this.counts[kind === 'version' ? 'versions' : 'memories'] += 1;
    if (deletedAt !== undefined) this.counts.deleted += 1;
    this.#digests.push(await sha256(new TextEncoder().encode(line)));
  }

  /**
   * Returns the header of an archive with the lines so far.
   *
   * @example const header = JSON.stringify(await tally.header());
   */
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
 * Yields the lines of an archive after its header: memories, including deleted ones, then their versions. Omits versions
 * that were created after their memory was read.
 *
 * @param filter selects memories; its subject key also selects versions
 * @example for await (const line of exportRecords(client, { filter: { project: 'acme' } })) lines.push(line);
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
 * Yields all memories of an organization, including deleted ones and versions, as the lines of an archive. The header comes
 * first, so the function buffers all lines.
 *
 * @example for await (const line of exportAll(client)) lines.push(line);
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
 * @example const { counts, exportedAt } = readArchiveHeader(lines[0] ?? '');
 */
export function readArchiveHeader(line: string): ArchiveHeader {
  const header = parseObject(line) as Partial<ArchiveHeader> | undefined;
  if (header?.archive !== 'memory-service')
    throw new ArchiveError('This is not an archive: its first line is not a header');
  if (!READ_VERSIONS.includes(header.version)) {
    const known = READ_VERSIONS.join(' and ');
    throw new ArchiveError(`The archive has version ${header.version}, but this release reads versions ${known}`);
  }
  if (typeof header.digest !== 'string' || typeof header.counts?.memories !== 'number') {
    throw new ArchiveError('The header of the archive is damaged');
  }
  return header as ArchiveHeader;
}

/**
 * Reads a whole archive and compares its counts and digest with its header.
 *
 * @throws {ArchiveError} if it is damaged or incomplete
 * @example const { counts, exportedAt } = await verifyArchive(lines);
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
    if (found !== wanted)
      throw new ArchiveError(`The archive is incomplete: it contains ${found} of ${wanted} ${kind}`);
  }
  if (digest !== header.digest) throw new ArchiveError('The archive is damaged: its digest does not match');
  return header;
}

/**
 * Imports an archive into the client's organization, after verifying all of it. Existing memories do not change, so the
 * same call resumes after a failure.
 *
 * @throws {ArchiveError} if the archive is damaged or incomplete; nothing was imported
 * @throws {ArchiveImportError} if the organization accepts no more memories
 * @example const { created, present } = await importAll(client, lines);
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

/** The import stopped early. Memories imported before remain. */
export class ArchiveImportError extends Error {
  override name = 'ArchiveImportError';
  readonly code: string;

  constructor(
    { code, message }: ArchiveFailure,
    readonly imported: ImportedArchive,
  ) {
    const done = imported.created + imported.present;
    super(`The import stopped after ${done === 1 ? '1 memory' : `${done} memories`}: ${message}`);
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
