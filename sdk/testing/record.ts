import type { ActiveChange, DeletedChange, Memory, Scope, SubjectKey } from '../generated/types.gen.js';

/** A memory as it is kept. */
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
  /** Set on what is left of a purged memory. */
  purgedAt?: number | undefined;
}

/** RFC 3339 with six digits of a second. */
export function formatTime(microseconds: number): string {
  const digits = String(microseconds % 1_000_000).padStart(6, '0');
  return new Date(Math.floor(microseconds / 1_000)).toISOString().replace(/\.\d+Z$/, `.${digits}Z`);
}

export function presentMemory(record: MemoryRecord): Memory {
  const { id, content, metadata, externalKey, subjectKey, createdAt, updatedAt, deletedAt, expiresAt } = record;
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

/** `<timestamp>|<id>`. */
export function cursorAt(microseconds: number, { id }: MemoryRecord): string {
  return `${formatTime(microseconds)}|${id}`;
}

/** White space, case and the marks of prose taken away, for what is told apart by nothing else. */
export function fold(content: string): string {
  const folded = content
    .toLowerCase()
    .split(/[\s\p{Pi}\p{Pf}\p{Ps}\p{Pe}"'.,;:!]+/u)
    .filter((word) => word !== '')
    .join(' ');
  return folded === '' ? content : folded;
}
