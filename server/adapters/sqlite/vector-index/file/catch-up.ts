import { Connection } from '../../engine/connection.js';
import { indexLedger } from '../index-ledger.js';
import type { VectorSource } from '../index-parts.js';
import type { SearchedVectors, VectorChange } from '../organization-index.js';
import type { SavedMatrixBuilder } from '../scan/saved-matrix.js';
import { vectorSource } from '../vector-source.js';

/** Where the changes of an index are that its file does not have. */
export interface ChangesOrder {
  /** Path of the database. */
  database: string;
  org: number;
  vectors: SearchedVectors;
}

export interface CaughtUp {
  /** The time up to which all changes were applied. */
  completeAt: number;
  /** The seqs of the changed memories. */
  changed: number[];
}

/** Applies the changes that were committed after a time. @throws {StoreUnavailableError} */
export function catchUp(
  { database, org, vectors }: ChangesOrder,
  builder: SavedMatrixBuilder,
  changedAfter: number,
): CaughtUp {
  const connection = new Connection(database, { readOnly: true });
  try {
    connection.exec('BEGIN');
    const known = indexLedger(connection, connection, (work) => work()).read(org);
    const changed: number[] = [];
    for (const change of changesAfter(vectorSource(connection), org, vectors, changedAfter)) {
      changed.push(change.seq);
      if (change.kind === 'put') builder.put(change, change.quantized);
      else builder.remove([change.seq]);
    }
    return { completeAt: known?.clock ?? changedAfter, changed };
  } finally {
    connection.close();
  }
}

function* changesAfter(
  source: VectorSource,
  org: number,
  vectors: SearchedVectors,
  changedAfter: number,
): Generator<VectorChange> {
  for (const active of [true, false]) {
    let changes = source.changes(org, vectors, active, changedAfter);
    for (let last = changes.at(-1); last; last = changes.at(-1)) {
      yield* changes.map(({ change }) => change);
      changes = source.changes(org, vectors, active, last.changedAt);
    }
  }
}
