import { setImmediate } from 'node:timers/promises';
import type { IndexArchive, VectorSource } from './index-parts.js';
import type { OrganizationIndex } from './organization-index.js';

/** Fills indexes from the archive and the database. Others get a turn between two reads. */
export class IndexBuilder {
  readonly #source: VectorSource;
  readonly #archive: IndexArchive | undefined;

  constructor(source: VectorSource, archive: IndexArchive | undefined) {
    this.#source = source;
    this.#archive = archive;
  }

  async buildActive(org: number, index: OrganizationIndex): Promise<void> {
    const completeAt = await this.#archive?.load(org, index);
    if (completeAt !== undefined) {
      await this.#catchUp(org, index, true, completeAt);
      await this.#catchUp(org, index, false, completeAt);
      return;
    }
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
