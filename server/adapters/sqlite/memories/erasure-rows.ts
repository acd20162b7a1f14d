import { parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import type { Erasure } from '../../../domain/memory/erasure.js';
import type { SubjectKey } from '../../../domain/memory/memory.js';
import type { ErasureStore, ErasureUnit } from '../../../ports/erasure-store.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';

interface ErasureRow {
  subject_key: string | null;
  erasure: string;
}

const BY_ID = 'SELECT subject_key, erasure FROM erasures WHERE org = ? AND id = ?';
const BY_SUBJECT = 'SELECT subject_key, erasure FROM erasures WHERE org = ? AND subject_key = ?';

const EMPTY_METADATA = ['audit_events', 'audit_backlog'].map(
  (table) => `UPDATE ${table} SET metadata = '{}' WHERE org = ? AND memory_id = ? AND metadata <> '{}'`,
);

/** Reads committed erasures. */
export class SqliteErasureStore implements ErasureStore {
  readonly #reader: Connection;
  readonly #organizations: Organizations;

  constructor(reader: Connection, organizations: Organizations) {
    this.#reader = reader;
    this.#organizations = organizations;
  }

  async find(organizationId: string, id: string): Promise<Erasure | undefined> {
    const org = this.#organizations.keyOf(organizationId);
    return org === undefined ? undefined : toErasure(this.#reader.get<ErasureRow>(BY_ID, org, id));
  }
}

export class SqliteErasureUnit implements ErasureUnit {
  readonly #open: () => Connection;
  readonly #org: number;

  /** @param open returns the connection, or throws if the unit has ended */
  constructor(open: () => Connection, org: number) {
    this.#open = open;
    this.#org = org;
  }

  async find(id: string): Promise<Erasure | undefined> {
    return toErasure(this.#open().get<ErasureRow>(BY_ID, this.#org, id));
  }

  async findRunning(subjectKey: SubjectKey): Promise<Erasure | undefined> {
    return toErasure(this.#open().get<ErasureRow>(BY_SUBJECT, this.#org, subjectText(subjectKey)));
  }

  async save({ subjectKey, ...erasure }: Erasure): Promise<void> {
    this.#open().run(
      `INSERT INTO erasures (org, id, subject_key, erasure) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET subject_key = ?3, erasure = ?4`,
      this.#org,
      erasure.id,
      subjectKey === undefined ? null : subjectText(subjectKey),
      JSON.stringify(erasure),
    );
  }

  async removeVersions(of: { memoryId: string } | { subjectKey: SubjectKey }, limit: number): Promise<string[]> {
    const removed =
      'memoryId' in of
        ? this.#open().all<{ memory_id: string }>(removal('memory_id = ?'), this.#org, of.memoryId, limit)
        : this.#open().all<{ memory_id: string }>(removal(ABOUT), this.#org, subjectText(of.subjectKey), limit);
    return removed.map(({ memory_id }) => memory_id);
  }

  async emptyAuditMetadata(memoryId: string): Promise<number> {
    let changes = 0;
    for (const sql of EMPTY_METADATA) changes += this.#open().run(sql, this.#org, memoryId).changes;
    return changes;
  }

  async countDeliveries(memoryId: string): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM outbound_deliveries WHERE org = ? AND memory_id = ?';
    return this.#open().get<{ count: number }>(sql, this.#org, memoryId)?.count ?? 0;
  }
}

const ABOUT = "subject_key = ? AND subject_key <> ''";

function removal(condition: string): string {
  return `DELETE FROM memory_versions WHERE key IN (
    SELECT key FROM memory_versions WHERE org = ? AND ${condition} LIMIT +?) RETURNING memory_id`;
}

function toErasure(row: ErasureRow | undefined): Erasure | undefined {
  if (!row) return undefined;
  const erasure = JSON.parse(row.erasure) as Erasure;
  const subjectKey = row.subject_key === null ? undefined : parseSubjectText(row.subject_key);
  return { ...erasure, ...(subjectKey !== undefined && { subjectKey }) };
}
