import { subjectText } from '../../../domain/filter/memory-facets.js';
import type { Memory } from '../../../domain/memory/memory.js';
import { bytesOf, bytesOfTexts } from '../../../domain/memory/stored-bytes.js';
import { KEPT_VERSIONS, type MemoryVersion, replacesState } from '../../../domain/memory/version.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { EmbeddedBy, Indexed } from '../../../ports/unit-of-work.js';
import type { Connection } from '../engine/connection.js';
import type { OrganizationRow } from '../engine/organization-row.js';
import type { KeywordBacklog } from '../keywords/keyword-backlog.js';
import type { VectorChange } from '../vector-index/organization-index.js';
import { quantized } from '../vector-index/scan/codes/quantize.js';
import type { StagedVectors } from '../vector-index/staged-vectors.js';
import { fromBlob } from '../vector-index/vectors.js';
import type { AbsentContents } from './contents/absent-contents.js';
import { isTaken } from './creation-times.js';
import { insertRow, type MemoryRow, toMemory, updateRow } from './memory-rows.js';
import type { MetadataBacklog } from './metadata-backlog.js';
import { purgeRow } from './tombstone-rows.js';
import { insertVectors, replaceVectors, storePendingVector } from './vector-rows.js';
import { insertVersion, keepVersion } from './version-rows.js';

export interface WriterContext {
  connection: Connection;
  vectors: StagedVectors;
  keywords: KeywordBacklog;
  metadata: MetadataBacklog;
  absent: AbsentContents;
}

/** Writes memories of one organization, and stages the changes for its indexes. */
export class MemoryWriter {
  readonly #connection: Connection;
  readonly #vectors: StagedVectors;
  readonly #keywords: KeywordBacklog;
  readonly #metadata: MetadataBacklog;
  readonly #absent: AbsentContents;
  readonly #org: number;
  readonly #row: OrganizationRow;

  constructor(context: WriterContext, org: number, row: OrganizationRow) {
    this.#connection = context.connection;
    this.#vectors = context.vectors;
    this.#keywords = context.keywords;
    this.#metadata = context.metadata;
    this.#absent = context.absent;
    this.#org = org;
    this.#row = row;
  }

  insert(memory: Memory, indexed: Indexed): void {
    const { terms } = indexed;
    this.#assertFree(memory.createdAt);
    this.#absent.remove(this.#org, subjectText(memory.subjectKey), indexed.contentHash);
    const seq = insertRow(this.#connection, this.#org, memory, indexed, terms.length);
    this.#metadata.insert(this.#org, seq, memory);
    insertVectors(this.#connection, this.#org, seq, indexed, this.#row.state);
    this.#row.countNewest(memory.createdAt);
    this.#row.count({ [stateOf(memory)]: 1, words: terms.length, bytes: activeBytes(memory) });
    this.#keywords.stage({ org: this.#org, seq, terms });
    this.#stageVector(seq, memory, indexed);
    if (indexed.pending) this.#stagePending(seq, memory, indexed.pending);
  }

  /** @param row the stored memory */
  update(row: MemoryRow, memory: Memory, indexed?: Indexed): void {
    if (!indexed && row.content !== memory.content) throw new Error('New content requires new values in `indexed`');
    const stored = toMemory(memory.organizationId, row);
    this.#absent.clear();
    updateRow(this.#connection, row, memory, indexed);
    this.#metadata.update(this.#org, row.seq, stored, memory);
    if (replacesState(stored, memory)) {
      keepVersion(this.#connection, this.#org, row, memory, this.#keptVersions);
    }
    const [before, after] = [row.deleted_at === null ? 'active' : 'deleted', stateOf(memory)] as const;
    const bytes = activeBytes(memory) - (before === 'active' ? bytesOfTexts(row.content, row.metadata) : 0);
    const moved = before === after ? {} : { [before]: -1, [after]: 1 };
    if (before !== after || bytes !== 0) this.#row.count({ ...moved, bytes });
    if (indexed) {
      replaceVectors(this.#connection, this.#org, row.seq, indexed, this.#row.state);
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
    this.#metadata.delete(this.#org, row.seq, memory);
    this.#row.count({ deleted: -1, words: -this.#wordsOf(row.seq) });
    purgeRow(this.#connection, row, at);
    this.#keywords.stage({ org: this.#org, seq: row.seq, terms: undefined });
    this.#vectors.stage(this.#org, { kind: 'leave', seq: row.seq });
    this.#vectors.stagePending(this.#org, { kind: 'leave', seq: row.seq });
  }

  /** @param row the stored memory */
  storePending(row: MemoryRow, organizationId: string, pending: EmbeddedBy): void {
    storePendingVector(this.#connection, this.#org, row.seq, pending, this.#row.state);
    this.#stagePending(row.seq, toMemory(organizationId, row), pending);
  }

  get #keptVersions(): number {
    return this.#row.state.settings.keptVersions ?? KEPT_VERSIONS;
  }

  /** Throws if a memory has this time. An import may reuse the time of the newest memory after its purge. */
  #assertFree(createdAt: Microseconds): void {
    if (this.#row.newest !== createdAt) return;
    if (!isTaken(this.#connection, this.#org, createdAt)) return;
    throw new Error('No two memories are created at the same time: take createdAt from tick() or freeTime()');
  }

  replaceTerms(seq: number, terms: readonly string[]): void {
    const before = this.#wordsOf(seq);
    this.#connection.run('UPDATE memories SET words = ? WHERE seq = ?', terms.length, seq);
    this.#row.count({ words: terms.length - before });
    this.#keywords.stage({ org: this.#org, seq, terms });
  }

  #wordsOf(seq: number): number {
    return this.#connection.get<{ words: number }>('SELECT words FROM memories WHERE seq = ?', seq)?.words ?? 0;
  }

  #stageVector(seq: number, memory: Memory, { embedding, fingerprint }: EmbeddedBy): void {
    const isSearched = fingerprint === this.#row.state.settings.embeddingFingerprint;
    this.#vectors.stage(this.#org, isSearched ? put(seq, memory, embedding) : { kind: 'leave', seq });
  }

  #stagePending(seq: number, memory: Memory, pending: EmbeddedBy | undefined): void {
    this.#vectors.stagePending(this.#org, pending ? put(seq, memory, pending.embedding) : { kind: 'leave', seq });
  }

  #stageStoredVectors(seq: number, memory: Memory): void {
    const { settings, vectorSide } = this.#row.state;
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
