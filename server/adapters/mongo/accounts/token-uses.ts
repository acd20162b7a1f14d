import type { Microseconds } from '../../../domain/timestamp.js';
import type { Collections } from '../engine/collections.js';

const KEPT_TO_MICROSECONDS = 60_000_000;

/** When tokens were used last, written once a minute, token and process. */
export class TokenUses {
  readonly #tokens: Collections['tokens'];
  readonly #noted = new Map<string, Microseconds>();

  constructor({ tokens }: Pick<Collections, 'tokens'>) {
    this.#tokens = tokens;
  }

  note(tokenId: string, at: Microseconds): void {
    const noted = this.#noted.get(tokenId);
    if (noted !== undefined && at - noted < KEPT_TO_MICROSECONDS) return;
    this.#noted.set(tokenId, at);
    this.#tokens
      .updateOne({ _id: tokenId }, { $max: { lastUsedAt: at } })
      // A store that cannot be written says so to those who write.
      .catch(() => this.#noted.delete(tokenId));
  }
}
