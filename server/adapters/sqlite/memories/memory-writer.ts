import { facetsOfMemory } from '../../../domain/filter/memory-facets.js';
import type { Memory } from '../../../domain/memory/memory.js';
import { bytesOf, bytesOfTexts } from '../../../domain/memory/stored-bytes.js';
import { KEPT_VERSIONS, type MemoryVersion, replacesState } from '../../../domain/memory/version.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { EmbeddedBy, Indexed } from '../../../ports/unit-of-work.js';
import type { Connection } from '../engine/connection.js';
import type { OrganizationState } from '../engine/organizations.js';
import type { KeywordBacklog } from '../keywords/keyword-backlog.js';
import type { VectorChange } from '../vector-index/organization-index.js';
import { quantized } from '../vector-index/scan/quantize.js';
import type { StagedVectors } from '../vector-index/staged-vectors.js';
import { fromBlob } from '../vector-index/vectors.js';
import { isTaken } from './creation-times.js';
import { deleteFacets, insertRow, type MemoryRow, toMemory, updateRow } from './memory-rows.js';
import { purgeRow } from './tombstone-rows.js';
import { insertVectors, replaceVectors, storePendingVector } from './vector-rows.js';
import { insertVersion, keepVersion } from './version-rows.js';

export interface WriterContext {
  connection: Connection;
  vectors: StagedVectors;
  keywords: KeywordBacklog;
}

interface CountChange {
  active?: number;
  deleted?: number;
  words?: number;
  /** Bytes of active memories, as `bytesOf` counts them. */
  bytes?: number;
}

/** Writes memories of one organization, and stages the changes for its indexes. */
export class MemoryWriter {
  readonly #connection: Connection;
  readonly #vectors: StagedVectors;
  readonly #keywords: KeywordBacklog;
  readonly #org: number;
  readonly #state: () => OrganizationState;

  constructor(context: WriterContext, org: number, state: () => OrganizationState) {
    this.#connection = context.connection;
    this.#vectors = context.vectors;
    this.#keywords = context.keywords;
    this.#org = org;
    this.#state = state;
  }

  insert(memory: Memory, indexed: Indexed): void {
    const { terms } = indexed;
    this.#assertFree(memory.createdAt);
    const seq = insertRow(this.#connection, this.#org, memory, indexed, terms.length);
    insertVectors(this.#connection, this.#org, seq, indexed, this.#state());
    this.#countNewest(memory, terms.length);
    this.#keywords.stage({ org: this.#org, seq, terms });
    this.#stageVector(seq, memory, indexed);
    if (indexed.pending) this.#stagePending(seq, memory, indexed.pending);
  }

  /** @param row the stored memory */
  update(row: MemoryRow, memory: Memory, indexed?: Indexed): void {
    if (!indexed && row.content !== memory.content) throw new Error('New content requires new values in `indexed`');
    updateRow(this.#connection, this.#org, row, memory, indexed);
    if (replacesState(toMemory(memory.organizationId, row), memory)) {
      keepVersion(this.#connection, this.#org, row, memory, this.#keptVersions);
    }
    const [before, after] = [row.deleted_at === null ? 'active' : 'deleted', stateOf(memory)] as const;
    const bytes = activeBytes(memory) - (before === 'active' ? bytesOfTexts(row.content, row.metadata) : 0);
    const moved = before === after ? {} : { [before]: -1, [after]: 1 };
    if (before !== after || bytes !== 0) this.#count({ ...moved, bytes });
    if (indexed) {
      replaceVectors(this.#connection, this.#org, row.seq, indexed, this.#state());
      this.replaceTerms(row.seq, indexed.terms);
      this.#stageVector(row.seq, memory, indexed);
      this.#stagePending(row.seq, memory, indexed.pending);
    } else if (before !== after) {
      this.#stageStoredVectors(row.seq, memory);
    } else {
      this.#vectors.stage(this.#org, { kind: 'edit', seq: row.seq });
    }
  }

  /** @param row the stored memory of the version */
  insertVersion({ seq }: MemoryRow, version: MemoryVersion): void {
    insertVersion(this.#connection, this.#org, seq, version, this.#keptVersions);
  }

  /** @param row the stored memory */
  purge(row: MemoryRow, organizationId: string, at: Microseconds): void {
    const memory = toMemory(organizationId, row);
    if (memory.deletedAt === undefined) throw new Error('Only a deleted memory can be purged');
    deleteFacets(this.#connection, this.#org, row.seq, memory, facetsOfMemory(memory));
    this.#count({ deleted: -1, words: -this.#wordsOf(row.seq) });
    purgeRow(this.#connection, row, at);
    this.#keywords.stage({ org: this.#org, seq: row.seq, terms: undefined });
    this.#vectors.stage(this.#org, { kind: 'leave', seq: row.seq });
    this.#vectors.stagePending(this.#org, { kind: 'leave', seq: row.seq });
  }

  /** @param row the stored memory */
  storePending(row: MemoryRow, organizationId: string, pending: EmbeddedBy): void {
    storePendingVector(this.#connection, this.#org, row.seq, pending, this.#state());
    this.#stagePending(row.seq, toMemory(organizationId, row), pending);
  }

  get #keptVersions(): number {
    return this.#state().settings.keptVersions ?? KEPT_VERSIONS;
  }

  /** Marks the organization as unordered if needed. Otherwise the order of insertion counts as the order of creation. */
  #countNewest(memory: Memory, words: number): void {
    const { createdAt, deletedAt } = memory;
    const [active, deleted] = deletedAt === undefined ? [1, 0] : [0, 1];
    const sql = `UPDATE organizations SET newest = max(newest, ?1), unordered = unordered OR newest > ?1,
      active = active + ?2, deleted = deleted + ?3, words = words + ?4, bytes = bytes + ?5 WHERE key = ?6`;
    this.#connection.run(sql, createdAt, active, deleted, words, activeBytes(memory), this.#org);
  }

  /** Throws if a memory has this time. An import may reuse the time of the newest memory after its purge. */
  #assertFree(createdAt: Microseconds): void {
    const sql = 'SELECT 1 FROM organizations WHERE key = ? AND newest = ?';
    if (!this.#connection.get(sql, this.#org, createdAt)) return;
    if (!isTaken(this.#connection, this.#org, createdAt)) return;
    throw new Error('No two memories are created at the same time: take createdAt from tick() or freeTime()');
  }

  #count({ active = 0, deleted = 0, words = 0, bytes = 0 }: CountChange): void {
    const sql = `UPDATE organizations SET active = active + ?, deleted = deleted + ?, words = words + ?, bytes = bytes + ?
      WHERE key = ?`;
    this.#connection.run(sql, active, deleted, words, bytes, this.#org);
  }

  replaceTerms(seq: number, terms: readonly string[]): void {
    const before = this.#wordsOf(seq);
    this.#connection.run('UPDATE memories SET words = ? WHERE seq = ?', terms.length, seq);
    this.#count({ words: terms.length - before });
    this.#keywords.stage({ org: this.#org, seq, terms });
  }

  #wordsOf(seq: number): number {
    return this.#connection.get<{ words: number }>('SELECT words FROM memories WHERE seq = ?', seq)?.words ?? 0;
  }

  #stageVector(seq: number, memory: Memory, { embedding, fingerprint }: EmbeddedBy): void {
    const isSearched = fingerprint === this.#state().settings.embeddingFingerprint;
    this.#vectors.stage(this.#org, isSearched ? put(seq, memory, embedding) : { kind: 'leave', seq });
  }

  #stagePending(seq: number, memory: Memory, pending: EmbeddedBy | undefined): void {
    this.#vectors.stagePending(this.#org, pending ? put(seq, memory, pending.embedding) : { kind: 'leave', seq });
  }

  #stageStoredVectors(seq: number, memory: Memory): void {
    const { settings, vectorSide } = this.#state();
    const searched = this.#storedVector(seq * vectorSide);
    if (searched) this.#stageVector(seq, memory, searched);
    if (settings.pendingFingerprint === undefined) return;
    const pending = this.#storedVector(-seq * vectorSide);
    if (pending?.fingerprint === settings.pendingFingerprint) this.#stagePending(seq, memory, pending);
  }

  #storedVector(key: number): EmbeddedBy | undefined {
    const sql =
      'SELECT v.embedding, f.fingerprint FROM vectors v JOIN fingerprints f ON f.key = v.fingerprint WHERE v.seq = ?';
    const stored = this.#connection.get<{ embedding: Uint8Array; fingerprint: string }>(sql, key);
    return stored && { embedding: fromBlob(stored.embedding), fingerprint: stored.fingerprint };
  }
}

function put(seq: number, { createdAt, deletedAt }: Memory, embedding: Float32Array): VectorChange {
  return { kind: 'put', seq, createdAt, active: deletedAt === undefined, quantized: quantized(embedding) };
}

function activeBytes(memory: Memory): number {
  return memory.deletedAt === undefined ? bytesOf(memory) : 0;
}

function stateOf({ deletedAt }: Memory): 'active' | 'deleted' {
  return deletedAt === undefined ? 'active' : 'deleted';
}
