import type { Microseconds } from '../../../domain/timestamp.js';
import type { Connection } from '../engine/connection.js';
import type { Writer } from '../engine/writer.js';

const KEPT_TO_MICROSECONDS = 60_000_000;

/** When tokens were used last, written once a minute a token. */
export class TokenUses {
  readonly #connection: Connection;
  readonly #writer: Writer;
  readonly #noted = new Map<string, Microseconds>();

  constructor(connection: Connection, writer: Writer) {
    this.#connection = connection;
    this.#writer = writer;
  }

  note(tokenId: string, at: Microseconds): void {
    const noted = this.#noted.get(tokenId);
    if (noted !== undefined && at - noted < KEPT_TO_MICROSECONDS) return;
    this.#noted.set(tokenId, at);
    this.#writer
      .run(async () => this.#connection.run('UPDATE api_tokens SET last_used_at = ? WHERE id = ?', at, tokenId))
      // A store that cannot be written says so to those who write.
      .catch(() => this.#noted.delete(tokenId));
  }
}
