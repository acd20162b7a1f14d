import { countWithin } from '../../../../domain/memory/page-bytes.js';
import { formatTimestamp, type Microseconds } from '../../../../domain/timestamp.js';
import type { LinesQuery, MemoryLines } from '../../../../ports/memory-reader.js';
import type { Connection } from '../../engine/connection.js';
import { listSql } from '../lists/list-sql.js';

/** A memory of a list before its text is read. */
interface Sized {
  seq: number;
  /** Content and metadata in UTF-8. */
  bytes: number;
  created_at: Microseconds;
  updated_at: Microseconds;
}

const HEAD = `'{"id":"' || m.id || '","content":' || json_quote(m.content) || ',"metadata":' || m.metadata
  || iif(m.external_key IS NULL, '', ',"externalKey":' || json_quote(m.external_key))
  || CASE substr(m.subject_key, 1, 2) WHEN '' THEN '' WHEN 'i:' THEN ',"subjectKey":' || substr(m.subject_key, 3)
     ELSE ',"subjectKey":' || json_quote(substr(m.subject_key, 3)) END
  || CASE WHEN m.scope_source = '' AND m.scope_project = '' THEN ''
     WHEN m.scope_project = '' THEN ',"scope":{"source":' || json_quote(m.scope_source) || '}'
     WHEN m.scope_source = '' THEN ',"scope":{"project":' || json_quote(m.scope_project) || '}'
     ELSE ',"scope":{"source":' || json_quote(m.scope_source) || ',"project":' || json_quote(m.scope_project) || '}' END`;

const REST = `iif(m.deleted_at IS NULL, '', ',"deletedAt":"' || ${timeText('m.deleted_at')} || '"')
  || iif(m.expires_at IS NULL, '', ',"expiresAt":"' || ${timeText('m.expires_at')} || '"')
  || iif(m.is_distinct = 1, ',"distinct":true', '')`;

/** Length of `timesOf`, which is the same for all times. */
const TIMES_LENGTH = timesOf({ created_at: 0, updated_at: 0 }).length;

/**
 * Writes the text of a page in the engine, as one value: that takes two thirds of the time of one string for each
 * memory. Its parameters are the seqs and the times, which the engine would take much longer to format. CROSS JOIN keeps
 * the order of the seqs.
 */
const LINES_BY_SEQ = `SELECT CAST(group_concat(
    ${HEAD} || substr(?2, j.key * ${TIMES_LENGTH} + 1, ${TIMES_LENGTH}) || ${REST} || '}' || char(10), '') AS BLOB) AS lines
  FROM json_each(?1) j CROSS JOIN memories m ON m.seq = j.value`;
const POSITION = 'SELECT id, created_at AS createdAt, updated_at AS updatedAt FROM memories WHERE seq = ?';

/** The memories of a page before they are read. */
export interface Listed {
  seqs: readonly number[];
  /** The times of each memory, in ASCII. */
  times: Uint8Array;
  /** Content and metadata in UTF-8. */
  bytes: number;
  hasMore: boolean;
}

/** Selects the memories of a page. */
export function listPage(connection: Connection, org: number, { maxBytes, limit, ...query }: LinesQuery): Listed {
  const list = listSql(connection, org, { ...query, limit: limit + 1 });
  const sql = `SELECT seq, content_bytes + metadata_bytes AS bytes, created_at, updated_at FROM (${list.text})`;
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
    times: Buffer.from(listed.map(timesOf).join(''), 'latin1'),
    bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0),
    hasMore: found.length > listed.length,
  };
}

/** Reads the memories of a page as JSON lines. They are equal to the serialized results of `presentMemory`. */
export function readLines(connection: Connection, { seqs, times, hasMore }: Listed): MemoryLines {
  const read = connection.get<{ lines: Uint8Array<ArrayBuffer> | null }>(LINES_BY_SEQ, JSON.stringify(seqs), times);
  const last = connection.get<NonNullable<MemoryLines['last']>>(POSITION, seqs.at(-1) ?? null);
  return { lines: read?.lines ?? new Uint8Array(), hasMore, ...(last && { last }) };
}

function timesOf({ created_at, updated_at }: Pick<Sized, 'created_at' | 'updated_at'>): string {
  return `,"createdAt":"${formatTimestamp(created_at)}","updatedAt":"${formatTimestamp(updated_at)}"`;
}

/** Returns an expression for the text of `formatTimestamp`. */
function timeText(column: string): string {
  const fraction = `((${column} % 1000000 + 1000000) % 1000000)`;
  const seconds = `(${column} - ${fraction}) / 1000000`;
  return `strftime('%Y-%m-%dT%H:%M:%S.', ${seconds}, 'unixepoch') || substr(1000000 + ${fraction}, 2) || 'Z'`;
}
