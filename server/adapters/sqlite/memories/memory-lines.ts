import { countWithin } from '../../../domain/memory/page-bytes.js';
import { formatTimestamp, type Microseconds } from '../../../domain/timestamp.js';
import type { LinesQuery, MemoryLines } from '../../../ports/memory-reader.js';
import type { Connection } from '../engine/connection.js';
import { listSql } from './list-sql.js';

/** The size of a memory of a list before it is read. */
interface Sized {
  seq: number;
  /** Content and metadata in UTF-8. */
  bytes: number;
}

/** A memory as text. The engine writes the strings, which takes a third of the time of reading and serializing them. */
interface LineRow {
  /** The JSON text up to the times. */
  head: string;
  created_at: Microseconds;
  updated_at: Microseconds;
  /** JSON list of `deletedAt`, `expiresAt`, and 1 for a distinct memory; null if it has none of them. */
  rest: string | null;
}

const HEAD = `'{"id":"' || m.id || '","content":' || json_quote(m.content) || ',"metadata":' || m.metadata
  || iif(m.external_key IS NULL, '', ',"externalKey":' || json_quote(m.external_key))
  || CASE substr(m.subject_key, 1, 2) WHEN '' THEN '' WHEN 'i:' THEN ',"subjectKey":' || substr(m.subject_key, 3)
     ELSE ',"subjectKey":' || json_quote(substr(m.subject_key, 3)) END
  || CASE WHEN m.scope_source = '' AND m.scope_project = '' THEN ''
     WHEN m.scope_project = '' THEN ',"scope":{"source":' || json_quote(m.scope_source) || '}'
     WHEN m.scope_source = '' THEN ',"scope":{"project":' || json_quote(m.scope_project) || '}'
     ELSE ',"scope":{"source":' || json_quote(m.scope_source) || ',"project":' || json_quote(m.scope_project) || '}' END`;

const REST = `iif(m.deleted_at IS NULL AND m.expires_at IS NULL AND m.is_distinct = 0, NULL,
  json_array(m.deleted_at, m.expires_at, m.is_distinct))`;

const LINES_BY_SEQ = `SELECT ${HEAD} AS head, m.created_at, m.updated_at, ${REST} AS rest
  FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value ORDER BY j.key`;
const POSITION = 'SELECT id, created_at AS createdAt, updated_at AS updatedAt FROM memories WHERE seq = ?';

/** The memories of a page before they are read. */
export interface Listed {
  seqs: readonly number[];
  /** Content and metadata in UTF-8. */
  bytes: number;
  hasMore: boolean;
}

/** Selects the memories of a page. */
export function listPage(connection: Connection, org: number, { maxBytes, limit, ...query }: LinesQuery): Listed {
  const list = listSql(connection, org, { ...query, limit: limit + 1 });
  const sql = `SELECT seq, content_bytes + metadata_bytes AS bytes FROM (${list.text})`;
  const found = connection.all<Sized>(sql, ...list.parameters);
  const listed = found.slice(
    0,
    Math.min(
      limit,
      countWithin(found, maxBytes, ({ bytes }) => bytes),
    ),
  );
  return {
    seqs: listed.map(({ seq }) => seq),
    bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0),
    hasMore: found.length > listed.length,
  };
}

/** Reads the memories of a page as JSON lines. They are equal to the serialized results of `presentMemory`. */
export function readLines(connection: Connection, { seqs, hasMore }: Listed): MemoryLines {
  let text = '';
  for (const row of connection.all<LineRow>(LINES_BY_SEQ, JSON.stringify(seqs))) text += lineOf(row);
  const last = connection.get<NonNullable<MemoryLines['last']>>(POSITION, seqs.at(-1) ?? null);
  // Unlike a buffer, the encoded bytes have memory of their own, which a thread can pass on without a copy.
  return { lines: new TextEncoder().encode(text), hasMore, ...(last && { last }) };
}

function lineOf({ head, created_at, updated_at, rest }: LineRow): string {
  const times = `${head},"createdAt":"${formatTimestamp(created_at)}","updatedAt":"${formatTimestamp(updated_at)}"`;
  return rest === null ? `${times}}\n` : `${times}${restText(rest)}}\n`;
}

function restText(rest: string): string {
  const [deletedAt, expiresAt, distinct] = JSON.parse(rest) as [Microseconds | null, Microseconds | null, number];
  return (
    (deletedAt === null ? '' : `,"deletedAt":"${formatTimestamp(deletedAt)}"`) +
    (expiresAt === null ? '' : `,"expiresAt":"${formatTimestamp(expiresAt)}"`) +
    (distinct === 1 ? ',"distinct":true' : '')
  );
}
