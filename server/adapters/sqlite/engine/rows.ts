import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import { parseSubjectText } from '../../../domain/memory/memory-facets.js';

/** What a memory is read from; the table has further columns that no reader needs. */
export interface MemoryRow {
  seq: number;
  id: string;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  subject_key: string;
  external_key: string | null;
  scope_source: string;
  scope_project: string;
  metadata: string;
  content: string;
}

export const MEMORY_COLUMNS =
  'm.seq, m.id, m.created_at, m.updated_at, m.deleted_at, m.subject_key, m.external_key, ' +
  'm.scope_source, m.scope_project, m.metadata, m.content';

export function toMemory(organizationId: string, row: MemoryRow): Memory {
  const subjectKey = parseSubjectText(row.subject_key);
  return {
    id: row.id,
    organizationId,
    content: row.content,
    metadata: JSON.parse(row.metadata) as Metadata,
    ...(row.external_key !== null && { externalKey: row.external_key }),
    scope: { source: row.scope_source, project: row.scope_project },
    ...(subjectKey !== undefined && { subjectKey }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
  };
}
