import type { ActiveChange, DeletedChange, Memory, Scope, SubjectKey } from '../generated/types.gen.js';

/** A stored memory. */
export interface MemoryRecord {
  id: string;
  content: string;
  metadata: Record<string, unknown>;
  externalKey?: string | undefined;
  scope: Required<Scope>;
  subjectKey?: SubjectKey | undefined;
  /** Microseconds. */
  createdAt: number;
  updatedAt: number;
  deletedAt?: number | undefined;
  expiresAt?: number | undefined;
  /** True if it takes no part in de-duplication. */
  distinct?: true | undefined;
  /** Set on the tombstone of a purged memory. */
  purgedAt?: number | undefined;
}

/** Formats a time as RFC 3339 with microseconds. */
export function formatTime(microseconds: number): string {
  const digits = String(microseconds % 1_000_000).padStart(6, '0');
  return new Date(Math.floor(microseconds / 1_000)).toISOString().replace(/\.\d+Z$/, `.${digits}Z`);
}

export function presentMemory(record: MemoryRecord): Memory {
  const { id, content, metadata, externalKey, subjectKey, createdAt, updatedAt, deletedAt, expiresAt, distinct } =
    record;
  const { source, project } = record.scope;
  const scope = { ...(source !== '' && { source }), ...(project !== '' && { project }) };
  return {
    id,
    content,
    metadata: structuredClone(metadata),
    ...(externalKey !== undefined && { externalKey }),
    ...(Object.keys(scope).length > 0 && { scope }),
    ...(subjectKey !== undefined && { subjectKey }),
    createdAt: formatTime(createdAt),
    updatedAt: formatTime(updatedAt),
    ...(deletedAt !== undefined && { deletedAt: formatTime(deletedAt) }),
    ...(expiresAt !== undefined && { expiresAt: formatTime(expiresAt) }),
    ...(distinct && { distinct }),
  };
}

export function presentChange(record: MemoryRecord): ActiveChange | DeletedChange {
  const { id, createdAt, updatedAt, deletedAt, purgedAt } = record;
  if (deletedAt === undefined) {
    return { ...presentMemory(record), change: createdAt === updatedAt ? 'created' : 'updated' };
  }
  return {
    id,
    deletedAt: formatTime(deletedAt),
    updatedAt: formatTime(updatedAt),
    change: 'deleted',
    ...(purgedAt !== undefined && { purgedAt: formatTime(purgedAt) }),
  };
}

/** Returns `<timestamp>|<id>`. */
export function cursorAt(microseconds: number, { id }: MemoryRecord): string {
  return `${formatTime(microseconds)}|${id}`;
}

/** Normalizes white space, case and punctuation, so that near-duplicates are equal. */
export function fold(content: string): string {
  const folded = content
    .toLowerCase()
    .split(/[\s\p{Pi}\p{Pf}\p{Ps}\p{Pe}"'.,;:!]+/u)
    .filter((word) => word !== '')
    .join(' ');
  return folded === '' ? content : folded;
}
