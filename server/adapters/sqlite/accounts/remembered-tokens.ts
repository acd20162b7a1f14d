import type { ApiToken, Identified } from '../../../ports/account-store.js';

const MOST_REMEMBERED = 1_000;

type Found = Identified<ApiToken>;

/**
 * Tokens with the standings of their users, as they are committed. Whatever is
 * committed, all of it is forgotten: so what is remembered is what the
 * database would answer, since nobody else writes to it.
 */
export class RememberedTokens {
  readonly #found = new Map<string, Found>();

  /** @param read looks the token up, in one turn of the event loop */
  find(digest: string, organizationId: string | undefined, read: () => Found | undefined): Found | undefined {
    const key = organizationId === undefined ? digest : `${digest} ${organizationId}`;
    const known = this.#found.get(key);
    if (known) return known;
    const found = read();
    if (found && this.#found.size < MOST_REMEMBERED) this.#found.set(key, found);
    return found;
  }

  forget(): void {
    this.#found.clear();
  }
}
