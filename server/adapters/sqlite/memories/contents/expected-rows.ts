import type { Place } from '../../../../domain/documents/chunk.js';
import { subjectText } from '../../../../domain/filter/memory-facets.js';
import type { ExpectedWrite } from '../../../../ports/unit-of-work.js';
import type { Connection } from '../../engine/connection.js';
import { findActiveRow } from '../find-rows.js';
import { MEMORY_COLUMNS, type MemoryRow } from '../memory-rows.js';
import type { AbsentContents } from './absent-contents.js';

const ACTIVE_BY_CONTENTS = `SELECT ${MEMORY_COLUMNS}, j.value AS content_hash FROM json_each(?) j CROSS JOIN memories m
  WHERE org = ? AND subject_key = ? AND content_hash = j.value AND chunk = ? AND deleted_at IS NULL`;

type FoundRow = MemoryRow & { content_hash: string };

/**
 * Finds active memories by their contents. Contents that a unit of work announces are read by one statement for each
 * place, since one for each content takes twice as long. A row is kept until the unit writes its memory: until then no
 * other memory of the place can get this content.
 */
export class ExpectedRows {
  readonly #org: number;
  readonly #absent: AbsentContents;
  /** By place and hash of the content. */
  readonly #rows = new Map<string, MemoryRow>();
  /** The keys of `#rows` by the id of the memory. */
  readonly #keys = new Map<string, string>();

  constructor(org: number, absent: AbsentContents) {
    this.#org = org;
    this.#absent = absent;
  }

  /** Reads the contents that are probably stored: those of writes that look for no near-duplicates. */
  read(connection: Connection, writes: readonly ExpectedWrite[]): void {
    const places = new Map<string, { subject: string; chunk: string; hashes: string[] }>();
    for (const { subjectKey, chunk = '', contentHash, wordsHash } of writes) {
      if (wordsHash !== undefined) continue;
      const place = { subject: subjectText(subjectKey), chunk, hashes: [] };
      const key = keyOf(place.subject, chunk, '');
      const known = places.get(key) ?? place;
      known.hashes.push(contentHash);
      places.set(key, known);
    }
    for (const { subject, chunk, hashes } of places.values()) {
      if (hashes.length === 1) continue;
      const sql = ACTIVE_BY_CONTENTS;
      for (const row of connection.all<FoundRow>(sql, JSON.stringify(hashes), this.#org, subject, chunk)) {
        const key = keyOf(subject, chunk, row.content_hash);
        this.#rows.set(key, row);
        this.#keys.set(row.id, key);
      }
    }
  }

  find(connection: Connection, place: Place, contentHash: string): MemoryRow | undefined {
    const { subjectKey, chunk = '' } = place;
    const subject = subjectText(subjectKey);
    if (this.#absent.has(this.#org, subject, contentHash)) return undefined;
    const known = this.#rows.size > 0 && this.#rows.get(keyOf(subject, chunk, contentHash));
    return known || findActiveRow(connection, this.#org, place, contentHash);
  }

  /** Called when the unit writes a memory. */
  forget(id: string): void {
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#keys.delete(id);
    this.#rows.delete(key);
  }
}

function keyOf(subject: string, chunk: string, contentHash: string): string {
  return `${contentHash} ${chunk.length} ${chunk}${subject}`;
}
