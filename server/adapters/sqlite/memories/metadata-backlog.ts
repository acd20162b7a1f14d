import { facetsOfMemory } from '../../../domain/filter/memory-facets.js';
import { valuesOf } from '../../../domain/filter/metadata-values.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Connection } from '../engine/connection.js';

/**
 * Number of rows at which the backlog is written into the indexes: those of some 30 memories. It has at most the rows of
 * one memory more. With more rows, each write would change more pages of the backlog itself.
 */
const MAX_ROWS = 256;

const INSERT = `INSERT INTO metadata_backlog (org, live, facet, key, seq, value)
  SELECT ?1, ?2, j.value, '', ?3, NULL FROM json_each(?4) j
  UNION ALL SELECT ?1, ?2, '', j.key, ?3, j.atom FROM json_each(?5) j`;

/** A row of the backlog is a facet or a metadata value. The other columns are empty. */
const INDEX: readonly string[] = [
  `INSERT INTO facets (org, live, facet, seq)
    SELECT org, live, facet, seq FROM metadata_backlog WHERE facet <> ''`,
  `INSERT INTO metadata_values (seq, key, org, live, value)
    SELECT seq, key, org, live, value FROM metadata_backlog WHERE key <> ''`,
  'DELETE FROM metadata_backlog',
];

/** The parts of a memory that have facets and values. */
type Faceted = Pick<Memory, 'metadata' | 'subjectKey' | 'externalKey' | 'deletedAt'>;

/**
 * Writes the facets and the metadata values of memories.
 *
 * New ones go to a small table, the backlog, which every read of facets or values includes. When that is full, all its
 * rows are written into the indexes together. So writes of single memories share the pages of the indexes: a memory has
 * about ten entries, each on another page.
 *
 * All methods run in the transaction of a unit.
 */
export class MetadataBacklog {
  readonly #connection: Connection;
  /** Number of rows in the backlog, or more. Undefined if it must be counted. */
  #rows: number | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Inserts what a new memory has. */
  insert(org: number, seq: number, memory: Faceted): void {
    this.#insert(org, seq, memory, { facets: facetsOfMemory(memory), values: valuesIn(memory) });
  }

  /** Replaces what a memory had by what it has. */
  update(org: number, seq: number, before: Faceted, after: Faceted): void {
    const isMoved = (before.deletedAt === undefined) !== (after.deletedAt === undefined);
    const [old, now] = [new Set(facetsOfMemory(before)), new Set(facetsOfMemory(after))];
    const gone = [...old].filter((facet) => isMoved || !now.has(facet));
    const come = [...now].filter((facet) => isMoved || !old.has(facet));
    const areKept = !isMoved && JSON.stringify(before.metadata) === JSON.stringify(after.metadata);
    if (gone.length > 0) this.#deleteFacets(org, seq, before, gone);
    if (!areKept) this.#deleteValues(org, seq, before);
    this.#insert(org, seq, after, { facets: come, values: areKept ? NOTHING : valuesIn(after) });
  }

  /** Deletes what a memory has. */
  delete(org: number, seq: number, memory: Faceted): void {
    this.#deleteFacets(org, seq, memory, facetsOfMemory(memory));
    this.#deleteValues(org, seq, memory);
  }

  /** Called when statements since the last commit were rolled back. */
  rolledBack(): void {
    this.#rows = undefined;
  }

  #insert(org: number, seq: number, memory: Faceted, { facets, values }: Rows): void {
    if (facets.length === 0 && values === NOTHING) return;
    this.#rows ??=
      this.#connection.get<{ count: number }>('SELECT count(*) AS count FROM metadata_backlog')?.count ?? 0;
    if (this.#rows >= MAX_ROWS) {
      for (const sql of INDEX) this.#connection.run(sql);
      this.#rows = 0;
    }
    const live = liveColumn(memory);
    this.#rows += this.#connection.run(INSERT, org, live, seq, JSON.stringify(facets), values).changes;
  }

  #deleteFacets(org: number, seq: number, memory: Faceted, facets: readonly string[]): void {
    const isOne = 'org = ? AND live = ? AND facet IN (SELECT value FROM json_each(?)) AND seq = ?';
    for (const sql of [`DELETE FROM facets WHERE ${isOne}`, `DELETE FROM metadata_backlog WHERE ${isOne} AND key = ''`])
      this.#connection.run(sql, org, liveColumn(memory), JSON.stringify(facets), seq);
  }

  #deleteValues(org: number, seq: number, memory: Faceted): void {
    this.#connection.run('DELETE FROM metadata_values WHERE seq = ?', seq);
    this.#connection.run(
      `DELETE FROM metadata_backlog WHERE org = ? AND live = ? AND facet = ''
        AND key IN (SELECT value FROM json_each(?)) AND seq = ?`,
      org,
      liveColumn(memory),
      JSON.stringify(valuesOf(memory.metadata).map(({ key }) => key)),
      seq,
    );
  }
}

/** The facets to insert, and the values by key, as JSON. */
interface Rows {
  facets: readonly string[];
  values: string;
}

const NOTHING = '{}';

/** Returns the values by key, as JSON. */
function valuesIn({ metadata }: Faceted): string {
  return JSON.stringify(Object.fromEntries(valuesOf(metadata).map(({ key, value }) => [key, value])));
}

function liveColumn({ deletedAt }: Pick<Memory, 'deletedAt'>): number {
  return deletedAt === undefined ? 1 : 0;
}
