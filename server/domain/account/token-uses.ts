import type { Microseconds } from '../timestamp.js';

const PRECISION_US = 60_000_000;

/** Records when each token was last used, with at most one write per token, minute and process. */
export class TokenUses {
  readonly #write: (tokenId: string, at: Microseconds) => Promise<unknown>;
  readonly #noted = new Map<string, Microseconds>();

  constructor(write: (tokenId: string, at: Microseconds) => Promise<unknown>) {
    this.#write = write;
  }

  note(tokenId: string, at: Microseconds): void {
    const noted = this.#noted.get(tokenId);
    if (noted !== undefined && at - noted < PRECISION_US) return;
    this.#noted.set(tokenId, at);
    // No report is needed: other writes report a store that cannot be written.
    this.#write(tokenId, at).catch(() => this.#noted.delete(tokenId));
  }
}
