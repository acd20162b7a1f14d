import type { Connection } from '../engine/connection.js';
import { readState } from '../engine/organizations.js';
import type { TimedChange, VectorSource } from './index-parts.js';
import type { IndexedVector, SearchedVectors } from './organization-index.js';
import { quantized } from './scan/codes/quantize.js';
import { fromBlob } from './vectors.js';

/** Maximum number of rows read in one turn of the event loop: about 5 ms at 1,024 dimensions. */
const MAX_ROWS_READ = 512;

interface VectorRow {
  seq: number;
  created_at: number;
  embedding: Uint8Array;
}

const SELECT = `SELECT m.seq, m.created_at, v.embedding FROM memories m
  CROSS JOIN vectors v ON v.seq = m.seq * ? AND v.fingerprint = (SELECT key FROM fingerprints WHERE fingerprint = ?)`;

/** Reads committed rows for the indexes through the read-only connection. */
export function vectorSource(reader: Connection): VectorSource {
  return {
    searched: (org) => searchedVectors(reader, org),
    pending: (org) => pendingVectors(reader, org),
    hasMoreThan: (org, rows) => {
      const sql = 'SELECT seq FROM memories WHERE org = ? AND deleted_at IS NULL ORDER BY created_at LIMIT 1 OFFSET +?';
      return reader.get(sql, org, rows) !== undefined;
    },
    read: (org, { fingerprint, side }, active, createdAfter) => {
      const rows = reader.all<VectorRow>(
        `${SELECT} WHERE m.org = ? AND m.deleted_at IS ${active ? 'NULL' : 'NOT NULL'} AND m.created_at > ?
           ORDER BY m.created_at LIMIT ${MAX_ROWS_READ}`,
        side,
        fingerprint,
        org,
        createdAfter,
      );
      // They get the largest step of their block. Converting codes to it takes as long as computing them.
      let step = 0;
      return rows.map((row) => {
        const indexed = toIndexed(row, step);
        ({ step } = indexed.quantized);
        return indexed;
      });
    },
    changes: (org, vectors, active, changedAfter) =>
      active ? changedRows(reader, org, vectors, changedAfter) : deletedRows(reader, org, changedAfter),
  };
}

function searchedVectors(reader: Connection, org: number): SearchedVectors | undefined {
  const state = readState(reader, org);
  const fingerprint = state?.settings.embeddingFingerprint;
  return state && fingerprint !== undefined ? { fingerprint, side: state.vectorSide } : undefined;
}

function pendingVectors(reader: Connection, org: number): SearchedVectors | undefined {
  const state = readState(reader, org);
  const fingerprint = state?.settings.pendingFingerprint;
  return state && fingerprint !== undefined ? { fingerprint, side: -state.vectorSide } : undefined;
}

interface ChangedRow extends Omit<VectorRow, 'embedding'> {
  updated_at: number;
  /** Null if another embedder made the vector. */
  embedding: Uint8Array | null;
}

function changedRows(
  reader: Connection,
  org: number,
  { fingerprint, side }: SearchedVectors,
  changedAfter: number,
): TimedChange[] {
  const sql = `SELECT m.seq, m.created_at, m.updated_at, v.embedding FROM memories m
    LEFT JOIN vectors v ON v.seq = m.seq * ? AND v.fingerprint = (SELECT key FROM fingerprints WHERE fingerprint = ?)
    WHERE m.org = ? AND m.deleted_at IS NULL AND m.updated_at > ? ORDER BY m.updated_at LIMIT ${MAX_ROWS_READ}`;
  return reader.all<ChangedRow>(sql, side, fingerprint, org, changedAfter).map(({ updated_at, embedding, ...row }) => ({
    changedAt: updated_at,
    change:
      embedding === null
        ? { kind: 'leave', seq: row.seq }
        : { kind: 'put', active: true, ...toIndexed({ ...row, embedding }) },
  }));
}

/** Returns the memories that were deleted, including those that were already purged. */
function deletedRows(reader: Connection, org: number, changedAfter: number): TimedChange[] {
  const sql = `SELECT * FROM (SELECT seq, updated_at AS gone_at FROM memories
      WHERE org = ?1 AND deleted_at IS NOT NULL AND updated_at > ?2 ORDER BY updated_at LIMIT ${MAX_ROWS_READ})
    UNION ALL SELECT * FROM (SELECT seq, purged_at AS gone_at FROM tombstones
      WHERE org = ?1 AND purged_at > ?2 ORDER BY purged_at LIMIT ${MAX_ROWS_READ})
    ORDER BY gone_at LIMIT ${MAX_ROWS_READ}`;
  return reader.all<{ seq: number; gone_at: number }>(sql, org, changedAfter).map(({ seq, gone_at: changedAt }) => ({
    changedAt,
    change: { kind: 'leave', seq },
  }));
}

function toIndexed(row: VectorRow, minStep?: number): IndexedVector {
  return {
    seq: row.seq,
    createdAt: row.created_at,
    quantized: quantized(fromBlob(row.embedding), minStep),
  };
}
