/** Size of a buffer. The text of a page with the maximum of content and metadata usually fits. */
const BUFFER_BYTES = 3 * 1_048_576;
/** Maximum number of buffers. Their memory is used only up to the longest page that each has held. */
const MAX_BUFFERS = 8;

/**
 * Buffers in which the thread of pages passes text to the main thread. They are used again, since every new buffer
 * counts as garbage later: an export would cause a collection of the whole heap every tenth of a second.
 */
export class LineBuffers {
  readonly #free: SharedArrayBuffer[] = [];
  #created = 0;

  /** Returns a buffer that nobody uses; undefined if all are in use. */
  take(): SharedArrayBuffer | undefined {
    const free = this.#free.pop();
    if (free || this.#created === MAX_BUFFERS) return free;
    this.#created += 1;
    return new SharedArrayBuffer(BUFFER_BYTES);
  }

  /** Returns a function that makes the buffer free again, at its first call. */
  lease(buffer: SharedArrayBuffer): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) this.#free.push(buffer);
      isHeld = false;
    };
  }
}
