import type { AuditEvent } from '../../../domain/account/audit-event.js';
import type { Connection } from '../engine/connection.js';
import { AUDIT_COLUMNS, auditValues, insertAuditEvent } from './audit-rows.js';

/** Number of events at which the backlog is written into the indexed table. A read of the log reads at most as many more. */
const MAX_ROWS = 64;

const INSERT = `INSERT INTO audit_backlog (org, ${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INDEX: readonly string[] = [
  `INSERT INTO audit_events (org, ${AUDIT_COLUMNS}) SELECT org, ${AUDIT_COLUMNS} FROM audit_backlog ORDER BY key`,
  'DELETE FROM audit_backlog',
];

/**
 * Writes the audit events of units of work.
 *
 * An event goes to a table without indexes, the backlog, which every read of the log includes. When that is full, all
 * its events are written into the indexed table together. So writes of single memories share the pages of the indexes:
 * an event has an entry in each of four.
 *
 * All methods run in the transaction of a unit.
 */
export class AuditBacklog {
  readonly #connection: Connection;
  /** Number of events in the backlog, or more. Undefined if they must be counted. */
  #rows: number | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  insert(org: number, event: AuditEvent): void {
    // The events of a batch share pages of the indexes anyway.
    if (event.batchId !== undefined) {
      insertAuditEvent(this.#connection, org, event);
      return;
    }
    if (this.#count() >= MAX_ROWS) this.empty();
    this.#connection.run(INSERT, org, ...auditValues(event));
    this.#rows = this.#count() + 1;
  }

  /** Writes all its events into the indexed table. */
  empty(): void {
    if (this.#count() === 0) return;
    for (const sql of INDEX) this.#connection.run(sql);
    this.#rows = 0;
  }

  /** Called when statements since the last commit were rolled back. */
  rolledBack(): void {
    this.#rows = undefined;
  }

  #count(): number {
    this.#rows ??= this.#connection.get<{ count: number }>('SELECT count(*) AS count FROM audit_backlog')?.count ?? 0;
    return this.#rows;
  }
}
