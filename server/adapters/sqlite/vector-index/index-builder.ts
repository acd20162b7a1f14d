import { setImmediate } from 'node:timers/promises';
import type { IndexArchive, ReadAside, VectorSource } from './index-parts.js';
import type { OrganizationIndex } from './organization-index.js';

/** Size up to which the main thread reads an index in less time than starting another thread takes. */
const SMALL_ROWS = 256;

export interface BuilderOptions {
  archive?: IndexArchive | undefined;
  /** Default: the main thread reads all vectors. */
  readAside?: ReadAside | undefined;
  /** Size up to which the main thread reads an index. */
  smallRows?: number | undefined;
}

/** Fills indexes from the archive and the database. Others get a turn between two reads. */
export class IndexBuilder {
  readonly #source: VectorSource;
  readonly #archive: IndexArchive | undefined;
  readonly #readAside: ReadAside | undefined;
  readonly #smallRows: number;

  constructor(source: VectorSource, { archive, readAside, smallRows = SMALL_ROWS }: BuilderOptions) {
    this.#source = source;
    this.#archive = archive;
    this.#readAside = readAside;
    this.#smallRows = smallRows;
  }

  async buildActive(org: number, index: OrganizationIndex): Promise<void> {
    const completeAt = await this.#archive?.load(org, index);
    if (completeAt !== undefined) {
      await this.#catchUp(org, index, true, completeAt);
      await this.#catchUp(org, index, false, completeAt);
      return;
    }
    if (await this.#adoptStored(org, index)) return;
    index.clear();
    await this.#readAll(org, index, true);
  }

  async buildDeleted(org: number, index: OrganizationIndex): Promise<void> {
    index.keepDeleted();
    await this.#readAll(org, index, false);
  }

  async buildPending(org: number, index: OrganizationIndex): Promise<void> {
    await this.#readAll(org, index, true);
  }

  /** Returns false if the index is small, or the other thread could not read it. */
  async #adoptStored(org: number, index: OrganizationIndex): Promise<boolean> {
    if (!this.#readAside || !this.#source.hasMoreThan(org, this.#smallRows)) return false;
    using changes = index.record();
    const stored = await this.#readAside(org, index.vectors);
    if (!stored) return false;
    index.adopt(stored.dimensions, stored.matrix);
    // The thread sees every commit before its first read, and may see some of these too.
    for (const change of [...changes]) index.apply(change);
    return true;
  }

  /** Commits during the read are applied to the index, and each later read sees them too. */
  async #readAll(org: number, index: OrganizationIndex, active: boolean): Promise<void> {
    let createdAfter = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const vectors = this.#source.read(org, index.vectors, active, createdAfter);
      const last = vectors.at(-1);
      if (!last) return;
      for (const vector of vectors) index.put(vector, active);
      createdAfter = last.createdAt;
      await setImmediate();
    }
  }

  async #catchUp(org: number, index: OrganizationIndex, active: boolean, completeAt: number): Promise<void> {
    let changedAfter = completeAt;
    for (;;) {
      const changes = this.#source.changes(org, index.vectors, active, changedAfter);
      const last = changes.at(-1);
      if (!last) return;
      for (const { change } of changes) index.apply(change);
      changedAfter = last.changedAt;
      await setImmediate();
    }
  }
}
