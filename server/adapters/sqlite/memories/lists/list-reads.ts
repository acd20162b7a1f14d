import { setImmediate } from 'node:timers/promises';
import { hasTombstones, withTombstones } from '../../../../domain/filter/tombstone.js';
import type { Memory } from '../../../../domain/memory/memory.js';
import { countWithin, memoryBytes } from '../../../../domain/memory/page-bytes.js';
import type { ListedMemory, ListQuery } from '../../../../ports/memory-reader.js';
import type { Connection } from '../../engine/connection.js';
import { memoriesOf } from '../find-rows.js';
import { PREVIEW_COLUMNS, type PreviewRow, toMemory } from '../memory-rows.js';
import { listTombstones } from '../tombstone-rows.js';
import { bytesOf, slicesOf } from './list-slices.js';
import { type ListedRow, listSql } from './list-sql.js';

/** After so many lists in slices that a write interrupted, a list is read in one turn. */
const MAX_SLICED_LISTS = 3;

const PREVIEW_BY_SEQ = `SELECT ${PREVIEW_COLUMNS} FROM memories m WHERE m.seq IN (SELECT value FROM json_each(?))`;

/** The organization of a list, and a function that resolves when the list may be read further. */
interface ListScope {
  organizationId: string;
  org: number;
  turn: () => Promise<void>;
}

/** Reads lists of memories. Each belongs to one state of the store, also one that takes several turns. */
export class ListReads {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async read({ organizationId, org, turn }: ListScope, query: ListQuery): Promise<ListedMemory[]> {
    for (let sliced = 1; ; sliced += 1) {
      await turn();
      const { text, parameters } = listSql(this.#connection, org, query);
      const listed = this.#connection.all<ListedRow>(text, ...parameters);
      const { maxBytes, preview } = query;
      if (preview !== undefined) return this.#previews(organizationId, listed, preview, maxBytes);
      const wanted = firstWithin(listed, maxBytes, bytesOf);
      const tombstones = hasTombstones(query) && listTombstones(this.#connection, organizationId, org, query);
      const slices = maxBytes === undefined || sliced > MAX_SLICED_LISTS ? [wanted] : slicesOf(wanted);
      const memories = await this.#listedMemories(organizationId, slices, turn);
      if (!memories) continue;
      return tombstones
        ? withTombstones({ memories, isCut: wanted.length < listed.length }, tombstones, query.limit)
        : memories;
    }
  }

  /** Returns memories with cut contents, in the order of the rows. */
  #previews(
    organizationId: string,
    listed: readonly ListedRow[],
    preview: number,
    maxBytes: number | undefined,
  ): ListedMemory[] {
    // The bytes of a cut content are known only after it is read.
    const wanted = firstWithin(listed, maxBytes, (row) => row.metadata_bytes);
    const rows = this.#connection.all<PreviewRow>(
      PREVIEW_BY_SEQ,
      preview,
      JSON.stringify(wanted.map(({ seq }) => seq)),
    );
    const found = new Map(rows.map((row) => [row.seq, row]));
    const memories = wanted.flatMap(({ seq }) => {
      const row = found.get(seq);
      return row ? [{ ...toMemory(organizationId, row), contentLength: row.content_length }] : [];
    });
    return firstWithin(memories, maxBytes, memoryBytes);
  }

  /**
   * Reads the memories of a list, one slice in each turn.
   *
   * @returns undefined if a write changed one of them meanwhile, since the result would mix two states
   */
  async #listedMemories(
    organizationId: string,
    slices: readonly (readonly ListedRow[])[],
    turn: () => Promise<void>,
  ): Promise<Memory[] | undefined> {
    const memories: Memory[] = [];
    for (const [n, slice] of slices.entries()) {
      if (n > 0) {
        await setImmediate();
        await turn();
      }
      const found = memoriesOf(this.#connection, organizationId, slice);
      for (const { seq, updated_at } of slice) {
        const memory = found.get(seq);
        if (memory?.updatedAt !== updated_at) return undefined;
        memories.push(memory);
      }
    }
    return memories;
  }
}

/** Returns the items that fit in a page and one more, which shows that more follow. */
function firstWithin<Item>(
  items: readonly Item[],
  maxBytes: number | undefined,
  bytesOf: (item: Item) => number,
): Item[] {
  return maxBytes === undefined ? [...items] : items.slice(0, countWithin(items, maxBytes, bytesOf) + 1);
}
