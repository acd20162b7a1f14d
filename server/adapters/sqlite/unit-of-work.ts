import type { AuditEvent } from '../../domain/audit-event.js';
import type { Memory, Microseconds, Scope, SubjectKey } from '../../domain/memory.js';
import type { OrganizationSettings } from '../../domain/organization.js';
import type { Indexed, Match, SimilarQuery, UnitOfWork } from '../../ports/store.js';
import { insertAuditEvent } from './audit-rows.js';
import type { Connection } from './connection.js';
import { termsOf } from './keyword-terms.js';
import { findActiveRow, findRow } from './memory-reader.js';
import { insertRow, updateRow, updateVector } from './memory-rows.js';
import { readSettings } from './organizations.js';
import { MEMORY_COLUMNS, type MemoryRow, SUBJECT_FACET, subjectColumn, toMemory } from './rows.js';
import { findSimilar } from './similar.js';
import type { StagedKeywords } from './staged-keywords.js';
import { addUsage } from './usage-meter.js';
import { quantized } from './vector-index/quantize.js';
import type { StagedVectors } from './vector-index/staged-vectors.js';
import type { VectorIndexes } from './vector-index/vector-indexes.js';
import { fromBlob } from './vectors.js';

/** What all units of a store write through. */
export interface UnitContext {
  connection: Connection;
  indexes: VectorIndexes;
  vectors: StagedVectors;
  keywords: StagedKeywords;
  now: () => Microseconds;
}

export class SqliteUnitOfWork implements UnitOfWork {
  readonly organizationId: string;
  readonly #context: UnitContext;
  readonly #connection: Connection;
  readonly #org: number;
  #settings: OrganizationSettings | undefined;
  #isOpen = true;

  constructor(context: UnitContext, organizationId: string, org: number) {
    this.#context = context;
    this.#connection = context.connection;
    this.organizationId = organizationId;
    this.#org = org;
  }

  /** From here on every method throws: the transaction belongs to the next unit. */
  end(): void {
    this.#isOpen = false;
  }

  async tick(): Promise<Microseconds> {
    const row = this.#open().get<{ clock: number }>(
      'UPDATE organizations SET clock = max(?, clock + 1) WHERE key = ? RETURNING clock',
      this.#context.now(),
      this.#org,
    );
    if (!row) throw new Error('The organization is gone');
    return row.clock;
  }

  async settings(): Promise<OrganizationSettings> {
    return { ...this.#currentSettings() };
  }

  async saveSettings(settings: OrganizationSettings): Promise<void> {
    if (settings.embeddingFingerprint !== this.#currentSettings().embeddingFingerprint) {
      this.#context.vectors.stageForgetting(this.#org);
    }
    const json = JSON.stringify(settings);
    this.#open().run('UPDATE organizations SET settings = ? WHERE key = ?', json, this.#org);
    this.#settings = { ...settings };
  }

  async anySubjectKey(): Promise<boolean> {
    const sql = 'SELECT 1 FROM facets WHERE org = ? AND live IN (0, 1) AND facet >= ? AND facet < ? LIMIT 1';
    return this.#open().get(sql, this.#org, SUBJECT_FACET, `${SUBJECT_FACET}~`) !== undefined;
  }

  async findById(id: string): Promise<Memory | undefined> {
    return this.#memory(findRow(this.#open(), this.#org, id));
  }

  async findActiveByContent(subjectKey: SubjectKey | undefined, contentHash: string): Promise<Memory | undefined> {
    return this.#memory(findActiveRow(this.#open(), this.#org, subjectKey, contentHash));
  }

  async findActiveByFoldedContent(subjectKey: SubjectKey | undefined, foldedHash: string): Promise<Memory | undefined> {
    const sql = `SELECT ${MEMORY_COLUMNS} FROM memories m
      WHERE org = ? AND subject_key = ? AND folded_hash = ? AND deleted_at IS NULL ORDER BY seq LIMIT 1`;
    return this.#memory(this.#open().get<MemoryRow>(sql, this.#org, subjectColumn(subjectKey), foldedHash));
  }

  async findByExternalKey(externalKey: string, { source, project }: Scope): Promise<Memory | undefined> {
    const find = (state: string) =>
      this.#open().get<MemoryRow>(
        `SELECT ${MEMORY_COLUMNS} FROM memories m
          WHERE org = ? AND external_key = ? AND scope_source = ? AND scope_project = ? AND ${state}`,
        this.#org,
        externalKey,
        source,
        project,
      );
    return this.#memory(
      find('deleted_at IS NULL') ?? find('deleted_at IS NOT NULL ORDER BY deleted_at DESC, seq DESC LIMIT 1'),
    );
  }

  async findSimilar(query: SimilarQuery): Promise<Match[]> {
    const index = await this.#context.indexes.open(this.#org);
    const isCurrent = index?.fingerprint === this.#currentSettings().embeddingFingerprint;
    return findSimilar(
      {
        connection: this.#open(),
        organizationId: this.organizationId,
        org: this.#org,
        index: isCurrent ? index : undefined,
        staged: this.#context.vectors.matrixOf(this.#org),
      },
      query,
    );
  }

  async insert(memory: Memory, indexed: Indexed): Promise<void> {
    const connection = this.#open();
    this.#requireNewest(memory);
    const terms = termsOf(memory.content);
    const seq = insertRow(connection, this.#org, memory, indexed, terms.length);
    this.#count({ [stateOf(memory)]: 1, words: terms.length });
    this.#context.keywords.stage({ org: this.#org, seq, terms });
    this.#stageVector(seq, memory, indexed.embedding, indexed.fingerprint);
  }

  async update(memory: Memory, indexed?: Indexed): Promise<void> {
    const row = this.#rowOf(memory.id);
    if (!indexed && row.content !== memory.content) throw new Error('New content comes with what it is looked up by');
    updateRow(this.#connection, this.#org, row, memory, indexed);
    const [before, after] = [row.deleted_at === null ? 'active' : 'deleted', stateOf(memory)] as const;
    if (before !== after) this.#count({ [before]: -1, [after]: 1 });
    if (indexed) {
      this.#replaceWords(row.seq, memory.content);
      this.#stageVector(row.seq, memory, indexed.embedding, indexed.fingerprint);
    } else if (before !== after) {
      this.#stageState(row.seq, memory);
    } else {
      const subjectKey = subjectColumn(memory.subjectKey);
      if (subjectKey !== row.subject_key)
        this.#context.vectors.stage(this.#org, { kind: 'subject', seq: row.seq, subjectKey });
    }
  }

  async replaceEmbedding(id: string, embedding: Float32Array, fingerprint: string): Promise<void> {
    const row = this.#rowOf(id);
    updateVector(this.#connection, row.seq, embedding, fingerprint);
    this.#stageVector(row.seq, toMemory(this.organizationId, row), embedding, fingerprint);
  }

  async recordAudit(event: AuditEvent): Promise<void> {
    insertAuditEvent(this.#open(), this.#org, event);
  }

  async countIngest(period: string, amount: number): Promise<void> {
    addUsage(this.#open(), this.#org, period, { ingest: amount });
  }

  #open(): Connection {
    if (!this.#isOpen) throw new Error('The unit of work has ended');
    return this.#connection;
  }

  #memory(row: MemoryRow | undefined): Memory | undefined {
    return row && toMemory(this.organizationId, row);
  }

  #rowOf(id: string): MemoryRow {
    const row = findRow(this.#open(), this.#org, id);
    if (!row) throw new Error(`There is no memory ${id}`);
    return row;
  }

  #currentSettings(): OrganizationSettings {
    this.#settings ??= readSettings(this.#open(), this.#org);
    if (!this.#settings) throw new Error('The organization is gone');
    return this.#settings;
  }

  /** Lists and recency take the order of insertion for the order of creation. */
  #requireNewest({ createdAt }: Memory): void {
    const sql = 'UPDATE organizations SET newest = ?1 WHERE key = ?2 AND newest < ?1';
    if (this.#connection.run(sql, createdAt, this.#org).changes === 1) return;
    throw new Error('A new memory is created later than every other: take createdAt from tick()');
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
    this.#context.keywords.stage({ org: this.#org, seq, terms });
  }

  #stageVector(seq: number, memory: Memory, embedding: Float32Array, fingerprint: string): void {
    const isSearched = fingerprint === this.#currentSettings().embeddingFingerprint;
    const { createdAt, deletedAt } = memory;
    const subjectKey = subjectColumn(memory.subjectKey);
    const active = deletedAt === undefined;
    this.#context.vectors.stage(
      this.#org,
      isSearched
        ? { kind: 'put', seq, createdAt, subjectKey, active, quantized: quantized(embedding) }
        : { kind: 'leave', seq },
    );
  }

  #stageState(seq: number, memory: Memory): void {
    if (memory.deletedAt !== undefined) {
      this.#context.vectors.stage(this.#org, { kind: 'delete', seq });
      return;
    }
    const sql =
      'SELECT v.embedding, f.fingerprint FROM vectors v JOIN fingerprints f ON f.key = v.fingerprint WHERE v.seq = ?';
    const stored = this.#connection.get<{ embedding: Uint8Array; fingerprint: string }>(sql, seq);
    if (stored) this.#stageVector(seq, memory, fromBlob(stored.embedding), stored.fingerprint);
  }
}

function stateOf({ deletedAt }: Memory): 'active' | 'deleted' {
  return deletedAt === undefined ? 'active' : 'deleted';
}
