import type { MemoryClient } from './client.js';
import { defaultLimits, exportMemoriesBounds } from './generated/constants.gen.js';
import type { ImportItem, ImportResponse } from './generated/types.gen.js';
import type { CallOptions } from './options.js';

/** The first line of an archive. The lines after it are the memories, as `export` gives them, one JSON object each. */
export interface ArchiveHeader {
  archive: 'memory-service';
  /** Of the format. */
  version: 1;
  organizationId?: string | undefined;
  exportedAt: string;
  counts: { memories: number; deleted: number };
  /** `sha256:` and the digest of the SHA-256 digests of all lines after this one, one after the other. */
  digest: string;
}

export interface ImportedArchive {
  header: ArchiveHeader;
  /** Memories that were stored. */
  created: number;
  /** Memories that the organization had already. */
  present: number;
  failures: ArchiveFailure[];
}

/** Why a memory was refused. */
export interface ArchiveFailure {
  id: string | undefined;
  code: string;
  message: string;
}

/** An archive that is damaged, cut off, or of another format. Nothing of it was written. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

const VERSION = 1;
/** UTF-16 code units of one request, which are at most three bytes each. */
const REQUEST_CHARS = 8 * 1024 * 1024;
/** What ends an import: no later memory would fare better. */
const FATAL = ['quota_exceeded', 'subject_key_invalid'];
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

/** Counts the lines of an archive and computes their digest. */
export class ArchiveTally {
  readonly counts = { memories: 0, deleted: 0 };
  readonly #digests: Uint8Array[] = [];

  /**
   * @param line without its end
   * @throws {ArchiveError} for a line that is no memory
   */
  async add(line: string): Promise<void> {
    const { deletedAt } = readRecord(line);
    this.counts.memories += 1;
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
 * Everything of an organization as the lines of an archive, its header first: ids, keys, scopes, subjects, times,
 * deleted memories. The lines are held in memory until the last one is known.
 */
export async function* exportAll(
  client: Pick<MemoryClient, 'export' | 'session'>,
  options: CallOptions = {},
): AsyncGenerator<string, void, undefined> {
  const tally = new ArchiveTally();
  const lines: string[] = [];
  const query = { includeDeleted: true, limit: exportMemoriesBounds.limit.maximum };
  for await (const memory of client.export(query, options)) {
    const line = JSON.stringify(memory);
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
  const header = parse(line) as Partial<ArchiveHeader> | undefined;
  if (header?.archive !== 'memory-service') throw new ArchiveError('This is no archive: its first line is no header');
  if (header.version !== VERSION) {
    throw new ArchiveError(`The archive has version ${header.version} and this release reads ${VERSION}`);
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
  const [found, wanted] = [counts.memories, header.counts.memories];
  if (found !== wanted) throw new ArchiveError(`The archive is cut off: it holds ${found} of ${wanted} memories`);
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
  // In the order of the last change all times are kept: see importMemories.
  const items = held.slice(1).map(toImportItem).sort(byLastChange);
  const imported: ImportedArchive = { header, created: 0, present: 0, failures: [] };
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

/**
 * The memory of a line, as `importMemories` takes it.
 *
 * @throws {ArchiveError} for a line that is no memory
 */
export function toImportItem(line: string): ImportItem {
  const record = readRecord(line);
  const known = FIELDS.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]);
  return Object.fromEntries(known) as ImportItem;
}

/** A line of another kind says so in `kind`; this release knows of none. */
function readRecord(line: string): Record<string, unknown> {
  const record = parse(line);
  if (!record) throw new ArchiveError('The archive is damaged: a line is no JSON object');
  if (record.kind !== undefined) {
    throw new ArchiveError(`The archive holds records of the kind ${String(record.kind)}: a newer release reads it`);
  }
  return record;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

async function* keep(lines: AsyncIterable<string> | Iterable<string>, held: string[]): AsyncGenerator<string> {
  for await (const line of lines) {
    held.push(line);
    yield line;
  }
}

function byLastChange({ updatedAt: one = '' }: ImportItem, { updatedAt: other = '' }: ImportItem): number {
  return one < other ? -1 : Number(one > other);
}

function* batchesOf(items: readonly ImportItem[], most: number): Generator<ImportItem[]> {
  let batch: ImportItem[] = [];
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

function note(imported: ImportedArchive, result: ImportResponse['results'][number], item?: ImportItem): void {
  if ('error' in result) imported.failures.push({ id: item?.id, ...result.error });
  else imported[result.outcome] += 1;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
