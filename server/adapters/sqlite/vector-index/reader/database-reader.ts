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

/**
 * Reads changes in one thread. It keeps its connection: opening one reads the schema, and the engine keeps each closed one
 * with its cache until its statements are collected.
 */
export class CatchUp implements Disposable {
  #opened: { database: string; connection: Connection } | undefined;

  /** Applies the changes that were committed after a time. @throws {StoreUnavailableError} */
  run({ database, org, vectors }: ChangesOrder, builder: SavedMatrixBuilder, changedAfter: number): CaughtUp {
    const connection = this.#connectionTo(database);
    connection.exec('BEGIN');
    try {
      const known = indexLedger(connection, connection, (work) => work()).read(org);
      const changed: number[] = [];
      for (const change of changesAfter(vectorSource(connection), org, vectors, changedAfter)) {
        changed.push(change.seq);
        if (change.kind === 'put') builder.put(change, change.quantized);
        else builder.remove([change.seq]);
      }
      return { completeAt: known?.clock ?? changedAfter, changed };
    } finally {
      connection.exec('COMMIT');
    }
  }

  [Symbol.dispose](): void {
    this.#opened?.connection.close();
    this.#opened = undefined;
  }

  #connectionTo(database: string): Connection {
    if (this.#opened?.database === database) return this.#opened.connection;
    this[Symbol.dispose]();
    const connection = new Connection(database, { readOnly: true });
    this.#opened = { database, connection };
    return connection;
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
