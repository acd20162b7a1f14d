import type { Microseconds } from '../timestamp.js';

const PRECISION_US = 60_000_000;

/** Keeps when each token was last used, with at most one write per token, minute and process. */
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
    // A store that cannot be written reports it to those who write.
    this.#write(tokenId, at).catch(() => this.#noted.delete(tokenId));
  }
}
