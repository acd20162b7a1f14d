import { exportMemoryVersionsBounds } from '../generated/constants.gen.js';
import type { ExportedVersion, MemoryVersion, SubjectKey } from '../generated/types.gen.js';
import { formatTime, type MemoryRecord } from './record.js';
import { invalid } from './refusal.js';
import { readLimit } from './validate.js';

/** A stored version of a memory. */
export interface VersionRecord {
  memoryId: string;
  version: number;
  content: string;
  metadata: Record<string, unknown>;
  subjectKey?: SubjectKey | undefined;
  /** Microseconds. */
  updatedAt: number;
  replacedAt: number;
}

/** Stores the versions of memories, with the rules of the service. */
export class VersionTable {
  readonly #kept: () => number;
  #versions: VersionRecord[] = [];
  /** The highest version number of each memory so far. */
  readonly #counts = new Map<string, number>();

  /** @param kept returns how many versions of each memory to keep */
  constructor(kept: () => number) {
    this.#kept = kept;
  }

  /** Stores the state that a change replaced, if it replaced any. */
  keep(before: MemoryRecord, after: MemoryRecord): void {
    const stateOf = ({ content, metadata, subjectKey }: MemoryRecord) =>
      JSON.stringify([content, metadata, subjectKey]);
    if (stateOf(before) === stateOf(after)) return;
    const { id: memoryId, content, metadata, subjectKey, updatedAt } = before;
    const version = (this.#counts.get(memoryId) ?? 0) + 1;
    this.#insert({ memoryId, version, content, metadata, subjectKey, updatedAt, replacedAt: after.updatedAt });
  }

  /** @throws {Refusal} if the times do not match those of the memory */
  import(version: VersionRecord, memory: MemoryRecord): 'created' | 'present' | 'not_kept' {
    const { memoryId, version: number, replacedAt } = version;
    const own = this.of(memoryId);
    if (number <= (this.#counts.get(memoryId) ?? 0)) {
      return own.some((each) => each.version === number) ? 'present' : 'not_kept';
    }
    const last = own[0];
    if (last && replacedAt <= last.replacedAt) throw invalid('replacedAt', 'must be after that of the last version');
    if (replacedAt > memory.updatedAt) throw invalid('replacedAt', 'must not be after the last change of the memory');
    if (this.#kept() === 0) return 'not_kept';
    this.#insert(version);
    return 'created';
  }

  /** Returns the versions of a memory, newest first. */
  of(memoryId: string): VersionRecord[] {
    return this.#versions.filter((each) => each.memoryId === memoryId).sort((a, b) => b.version - a.version);
  }

  /** Returns all versions, highest memory id first, then by number. */
  get all(): VersionRecord[] {
    return this.#versions.toSorted((a, b) => compare(b.memoryId, a.memoryId) || a.version - b.version);
  }

  remove(memoryId: string): void {
    this.#versions = this.#versions.filter((each) => each.memoryId !== memoryId);
  }

  /** Removes the versions of memories, and those about a subject. Returns their number. */
  erase(subjectKey: SubjectKey, memoryIds: readonly string[]): number {
    const kept = this.#versions.filter((each) => each.subjectKey !== subjectKey && !memoryIds.includes(each.memoryId));
    const erased = this.#versions.length - kept.length;
    this.#versions = kept;
    return erased;
  }

  clear(): void {
    this.#versions = [];
    this.#counts.clear();
  }

  #insert(version: VersionRecord): void {
    const { memoryId, version: number } = version;
    const kept = this.#kept();
    if (kept === 0) {
      this.remove(memoryId);
      return;
    }
    this.#counts.set(memoryId, number);
    const rest = this.#versions.filter((each) => each.memoryId !== memoryId || each.version > number - kept);
    this.#versions = [...rest, version];
  }
}

/** Returns a page of the versions of one memory or of all. */
export function versionsPage<Presented>(
  versions: readonly VersionRecord[],
  query: URLSearchParams,
  present: (version: VersionRecord) => Presented,
) {
  const limit = readLimit(query.get('limit'), exportMemoryVersionsBounds.limit);
  const cursor = query.get('cursor');
  const from = cursor === null ? 0 : versions.findIndex((each) => cursorOf(each) === cursor) + 1;
  if (cursor !== null && from === 0) throw invalid('cursor', 'must be the value that the previous page gave');
  const page = versions.slice(from, from + limit);
  const hasMore = versions.length > from + limit;
  const last = page.at(-1);
  return {
    versions: page.map(present),
    meta: { count: page.length, hasMore },
    ...(hasMore && last && { nextCursor: cursorOf(last) }),
  };
}

export function presentVersion({ version, content, metadata, subjectKey, ...times }: VersionRecord): MemoryVersion {
  return {
    version,
    content,
    metadata: structuredClone(metadata),
    ...(subjectKey !== undefined && { subjectKey }),
    updatedAt: formatTime(times.updatedAt),
    replacedAt: formatTime(times.replacedAt),
  };
}

export function presentExported(version: VersionRecord): ExportedVersion {
  return { memoryId: version.memoryId, ...presentVersion(version) };
}

function cursorOf({ replacedAt, memoryId }: VersionRecord): string {
  return `${formatTime(replacedAt)}|${memoryId}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
