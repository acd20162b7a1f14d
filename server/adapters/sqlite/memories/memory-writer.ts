import type { Memory } from '../../../domain/memory/memory.js';
import { termsOf } from '../../../domain/retrieval/keyword-terms.js';
import type { Indexed } from '../../../ports/store.js';
import type { Connection } from '../engine/connection.js';
import type { KeywordBacklog } from '../keywords/keyword-backlog.js';
import { forgetIndexFile } from '../vector-index/index-ledger.js';
import { quantized } from '../vector-index/scan/quantize.js';
import type { StagedVectors } from '../vector-index/staged-vectors.js';
import { fromBlob } from '../vector-index/vectors.js';
import { insertRow, type MemoryRow, toMemory, updateRow, updateVector } from './memory-rows.js';

export interface WriterContext {
  connection: Connection;
  vectors: StagedVectors;
  keywords: KeywordBacklog;
}

/** Writes memories of one organization, and stages what its indexes have to know. */
export class MemoryWriter {
  readonly #connection: Connection;
  readonly #vectors: StagedVectors;
  readonly #keywords: KeywordBacklog;
  readonly #org: number;
  readonly #searchedFingerprint: () => string | undefined;

  /** @param searchedFingerprint of the vectors that take part in searches */
  constructor(context: WriterContext, org: number, searchedFingerprint: () => string | undefined) {
    this.#connection = context.connection;
    this.#vectors = context.vectors;
    this.#keywords = context.keywords;
    this.#org = org;
    this.#searchedFingerprint = searchedFingerprint;
  }

  insert(memory: Memory, indexed: Indexed): void {
    const terms = termsOf(memory.content);
    const seq = insertRow(this.#connection, this.#org, memory, indexed, terms.length);
    this.#countNewest(memory, terms.length);
    this.#keywords.stage({ org: this.#org, seq, terms });
    this.#stageVector(seq, memory, indexed.embedding, indexed.fingerprint);
  }

  /** @param row the memory as it is stored */
  update(row: MemoryRow, memory: Memory, indexed?: Indexed): void {
    if (!indexed && row.content !== memory.content) throw new Error('New content comes with what it is looked up by');
    updateRow(this.#connection, this.#org, row, memory, indexed);
    const [before, after] = [row.deleted_at === null ? 'active' : 'deleted', stateOf(memory)] as const;
    if (before !== after) this.#count({ [before]: -1, [after]: 1 });
    if (indexed) {
      this.#replaceWords(row.seq, memory.content);
      this.#stageVector(row.seq, memory, indexed.embedding, indexed.fingerprint);
    } else if (before !== after) {
      this.#stageStoredVector(row.seq, memory);
    } else {
      this.#vectors.stage(this.#org, { kind: 'edit', seq: row.seq });
    }
  }

  replaceEmbedding(row: MemoryRow, organizationId: string, embedding: Float32Array, fingerprint: string): void {
    updateVector(this.#connection, row.seq, embedding, fingerprint);
    forgetIndexFile(this.#connection, this.#org);
    this.#stageVector(row.seq, toMemory(organizationId, row), embedding, fingerprint);
  }

  /** Lists and recency take the order of insertion for the order of creation, unless the organization is unordered. */
  #countNewest({ createdAt, deletedAt }: Memory, words: number): void {
    const [active, deleted] = deletedAt === undefined ? [1, 0] : [0, 1];
    const sql = `UPDATE organizations SET newest = max(newest, ?1), unordered = unordered OR newest > ?1,
      active = active + ?2, deleted = deleted + ?3, words = words + ?4 WHERE key = ?5 AND newest <> ?1`;
    if (this.#connection.run(sql, createdAt, active, deleted, words, this.#org).changes === 1) return;
    throw new Error('No two memories are created at the same time: take createdAt from tick() or freeTime()');
  }

  #count({ active = 0, deleted = 0, words = 0 }: { active?: number; deleted?: number; words?: number }): void {
    const sql = 'UPDATE organizations SET active = active + ?, deleted = deleted + ?, words = words + ? WHERE key = ?';
    this.#connection.run(sql, active, deleted, words, this.#org);
  }

  #replaceWords(seq: number, content: string): void {
    const terms = termsOf(content);
    const sql = 'SELECT words FROM memories WHERE seq = ?';
    const before = this.#connection.get<{ words: number }>(sql, seq)?.words ?? 0;
    this.#connection.run('UPDATE memories SET words = ? WHERE seq = ?', terms.length, seq);
    this.#count({ words: terms.length - before });
    this.#keywords.stage({ org: this.#org, seq, terms });
  }

  #stageVector(seq: number, memory: Memory, embedding: Float32Array, fingerprint: string): void {
    const isSearched = fingerprint === this.#searchedFingerprint();
    const { createdAt, deletedAt } = memory;
    const active = deletedAt === undefined;
    this.#vectors.stage(
      this.#org,
      isSearched ? { kind: 'put', seq, createdAt, active, quantized: quantized(embedding) } : { kind: 'leave', seq },
    );
  }

  #stageStoredVector(seq: number, memory: Memory): void {
    const sql =
      'SELECT v.embedding, f.fingerprint FROM vectors v JOIN fingerprints f ON f.key = v.fingerprint WHERE v.seq = ?';
    const stored = this.#connection.get<{ embedding: Uint8Array; fingerprint: string }>(sql, seq);
    if (stored) this.#stageVector(seq, memory, fromBlob(stored.embedding), stored.fingerprint);
  }
}

function stateOf({ deletedAt }: Memory): 'active' | 'deleted' {
  return deletedAt === undefined ? 'active' : 'deleted';
}
