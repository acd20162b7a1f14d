import type { IncomingMessage } from 'node:http';
import { UnavailableError } from '../../errors.js';

const MOST_AT_ONCE = 4;
const RETRY_AFTER_SECONDS = 5;

/**
 * Bounds what senders nobody has authenticated yet can make the process hold:
 * a signature is known to be right only when the whole body is there, so few
 * large ones are read at a time.
 */
export class LargeBodies {
  #reading = 0;

  /** @param ordinaryBytes up to which a body that announces its length is not large */
  constructor(private readonly ordinaryBytes: number) {}

  /** @throws {UnavailableError} when others are being read */
  async admit<T>(request: IncomingMessage, read: () => Promise<T>): Promise<T> {
    const announced = request.headers['content-length'];
    if (announced !== undefined && Number(announced) <= this.ordinaryBytes) return read();
    if (this.#reading >= MOST_AT_ONCE) {
      throw new UnavailableError('Too many large bodies are being read: try again', RETRY_AFTER_SECONDS);
    }
    this.#reading += 1;
    try {
      return await read();
    } finally {
      this.#reading -= 1;
    }
  }
}
