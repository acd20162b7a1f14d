import type { Connection } from './connection.js';
import { readSettings } from './organizations.js';
import type { IndexedVector } from './vector-index/organization-index.js';
import { quantized } from './vector-index/quantize.js';
import type { VectorSource } from './vector-index/vector-indexes.js';
import { fromBlob } from './vectors.js';

/** Rows read in one turn of the event loop: about 10 ms at 1,024 dimensions. */
const SLICE = 512;

interface VectorRow {
  seq: number;
  created_at: number;
  subject_key: string;
  embedding: Uint8Array;
}

const SELECT = `SELECT m.seq, m.created_at, m.subject_key, v.embedding FROM memories m
  CROSS JOIN vectors v ON v.seq = m.seq AND v.fingerprint = (SELECT key FROM fingerprints WHERE fingerprint = ?)`;

/** What the indexes are built from: committed rows, through the read-only connection. */
export function vectorSource(reader: Connection): VectorSource {
  return {
    fingerprint: (org) => readSettings(reader, org)?.embeddingFingerprint,
    read: (org, fingerprint, active, createdAfter) =>
      reader
        .all<VectorRow>(
          `${SELECT} WHERE m.org = ? AND m.deleted_at IS ${active ? 'NULL' : 'NOT NULL'} AND m.created_at > ?
             ORDER BY m.created_at LIMIT ${SLICE}`,
          fingerprint,
          org,
          createdAfter,
        )
        .map(toIndexed),
  };
}

function toIndexed(row: VectorRow): IndexedVector {
  return {
    seq: row.seq,
    createdAt: row.created_at,
    subjectKey: row.subject_key,
    quantized: quantized(fromBlob(row.embedding)),
  };
}
