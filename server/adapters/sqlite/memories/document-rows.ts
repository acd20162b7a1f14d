import { parseChunkIdentity } from '../../../domain/documents/chunk.js';
import type { StoredChunk } from '../../../domain/documents/document.js';
import { facetOf } from '../../../domain/filter/facet.js';
import { parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import type { SubjectKey } from '../../../domain/memory/memory.js';
import type { ChunkPosition, ChunkQuery, DocumentStore } from '../../../ports/document-store.js';
import type { Connection, SqlValue } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import type { Sql } from '../engine/statements/sql.js';
import { Yielder } from '../engine/yielder.js';

/** Is greater than every id. */
const AFTER_IDS = '~';

interface ChunkRow {
  id: string;
  subject_key: string;
  scope_source: string;
  scope_project: string;
  chunk: string;
  total: number;
  bytes: number;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `id, subject_key, scope_source, scope_project, chunk, metadata ->> '$.chunkTotal' AS total,
  octet_length(content) AS bytes, created_at, updated_at`;
const CHUNKS = `SELECT ${COLUMNS} FROM memories WHERE org = ? AND deleted_at IS NULL AND document IS NOT NULL`;
const ORDER = 'ORDER BY subject_key, document, id LIMIT +?';
const CHUNKS_OF = 'f.org = ?1 AND f.live = 1 AND f.facet = ?2';
const SUBJECTS = `SELECT DISTINCT m.subject_key FROM (SELECT f.seq FROM facets f WHERE ${CHUNKS_OF}
    UNION ALL SELECT f.seq FROM metadata_backlog f WHERE ${CHUNKS_OF} AND f.key = '') k
  CROSS JOIN memories m ON m.seq = k.seq WHERE m.document IS NOT NULL LIMIT +?3`;
const CONTENTS = `SELECT m.id, m.content FROM json_each(?) j CROSS JOIN memories m
  ON m.org = ? AND m.id = j.value AND m.deleted_at IS NULL`;

/** Reads committed chunks. */
export class SqliteDocumentStore implements DocumentStore {
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #yielder = new Yielder();

  constructor(reader: Connection, organizations: Organizations) {
    this.#reader = reader;
    this.#organizations = organizations;
  }

  async chunks(organizationId: string, query: ChunkQuery, signal?: AbortSignal): Promise<StoredChunk[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    await this.#turn(signal);
    const { text, parameters } = rangeOf(query);
    return this.#reader.all<ChunkRow>(`${CHUNKS} ${text} ${ORDER}`, org, ...parameters, query.limit).map(toChunk);
  }

  async subjectsOf(organizationId: string, documentId: string, limit: number): Promise<(SubjectKey | undefined)[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    await this.#turn(undefined);
    const facet = facetOf('documentId', documentId);
    return this.#reader
      .all<{ subject_key: string }>(SUBJECTS, org, facet, limit)
      .map((row) => parseSubjectText(row.subject_key));
  }

  async contents(organizationId: string, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return new Map();
    await this.#turn(signal);
    const rows = this.#reader.all<{ id: string; content: string }>(CONTENTS, JSON.stringify(ids), org);
    return new Map(rows.map(({ id, content }) => [id, content]));
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await this.#yielder.breathe();
    signal?.throwIfAborted();
  }
}

/** Returns the range of the index that a query reads. Each form of query reads one range. */
function rangeOf({ of, after }: ChunkQuery): Sql {
  const [subject, document, id] = after ? placeOf(after) : [];
  const range = (text: string, parameters: readonly (SqlValue | undefined)[]): Sql => ({
    text,
    parameters: parameters.map((value) => value ?? ''),
  });
  if (!of) return range('AND (subject_key, document, id) > (?, ?, ?)', [subject, document, id]);
  const own = subjectText(of.subjectKey);
  if (of.documentId === undefined) return range('AND subject_key = ? AND (document, id) > (?, ?)', [own, document, id]);
  return range('AND subject_key = ? AND document = ? AND id > ?', [own, of.documentId, id]);
}

function placeOf({ subjectKey, documentId, id = AFTER_IDS }: ChunkPosition): string[] {
  return [subjectText(subjectKey), documentId, id];
}

function toChunk(row: ChunkRow): StoredChunk {
  const { documentId, chunkIndex } = parseChunkIdentity(row.chunk);
  const subjectKey = parseSubjectText(row.subject_key);
  return {
    id: row.id,
    documentId,
    ...(subjectKey !== undefined && { subjectKey }),
    scope: { source: row.scope_source, project: row.scope_project },
    index: chunkIndex,
    total: row.total,
    bytes: row.bytes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
