import type { OrganizationSettings } from '../../../domain/account/organization.js';
import type { Connection } from './connection.js';

/** Numbers that the store keeps of an organization beside its memories. */
export interface OrganizationCounts {
  active: number;
  deleted: number;
  /** Number of words in all contents, including deleted ones. */
  words: number;
}

/** Maps organization ids to the integer keys in rows and indexes. */
export class Organizations {
  readonly #reader: Connection;
  // The key of an organization never changes, so entries stay until the organization is deleted.
  readonly #keys = new Map<string, number>();

  constructor(reader: Connection) {
    this.#reader = reader;
  }

  /** Returns undefined if the organization does not exist. */
  keyOf(id: string): number | undefined {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const row = this.#reader.get<{ key: number }>('SELECT key FROM current_organizations WHERE id = ?', id);
    if (row) this.#keys.set(id, row.key);
    return row?.key;
  }

  /** Drops the key of an organization that was deleted. */
  forget(id: string): void {
    this.#keys.delete(id);
  }

  counts(org: number): OrganizationCounts {
    return readCounts(this.#reader, org);
  }
}

export function readCounts(connection: Connection, org: number): OrganizationCounts {
  const sql = 'SELECT active, deleted, words FROM organizations WHERE key = ?';
  return connection.get<OrganizationCounts>(sql, org) ?? { active: 0, deleted: 0, words: 0 };
}

/** The state that decides which vectors of an organization are searched. */
export interface OrganizationState {
  settings: OrganizationSettings;
  /** Sign of the keys of the searched vectors; the pending and the former ones have the other sign. */
  vectorSide: number;
}

export function readState(connection: Connection, org: number): OrganizationState | undefined {
  const sql = 'SELECT settings, vector_side FROM organizations WHERE key = ?';
  const row = connection.get<StateColumns>(sql, org);
  return row && parseState(row);
}

/** The columns of `OrganizationState`. */
export interface StateColumns {
  settings: string;
  vector_side: number;
}

export function parseState({ settings, vector_side: vectorSide }: StateColumns): OrganizationState {
  return { settings: JSON.parse(settings) as OrganizationSettings, vectorSide };
}
