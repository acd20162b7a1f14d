import type { ApiToken, Identified } from '../../../ports/account-store.js';

const MAX_REMEMBERED = 1_000;

type Found = Identified<ApiToken>;

/**
 * Caches committed tokens with the standings of their users. Every commit
 * clears the cache. Since no other process writes to the database, the cache
 * always equals what the database would return.
 */
export class RememberedTokens {
  readonly #found = new Map<string, Found>();

  /** @param read reads the token from the database, in one turn of the event loop */
  find(digest: string, organizationId: string | undefined, read: () => Found | undefined): Found | undefined {
    const key = organizationId === undefined ? digest : `${digest} ${organizationId}`;
    const known = this.#found.get(key);
    if (known) return known;
    const found = read();
    if (found && this.#found.size < MAX_REMEMBERED) this.#found.set(key, found);
    return found;
  }

  forget(): void {
    this.#found.clear();
  }
}
