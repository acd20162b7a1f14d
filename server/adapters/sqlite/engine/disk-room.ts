import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFullError } from '../../../ports/store.js';

/** What must fit on the disk again: a write of many memories with the pages that it touches. */
const NEEDED_BYTES = 4 * 1024 * 1024;
/** How often that is tried at most. */
const INTERVAL_MS = 1_000;
const PROBE_FILE = 'memory.probe';

/**
 * Whether the disk has room. Once a write was refused for lack of it, small
 * writes may still fit into the log that is there, so only a file of some size
 * that could be written shows that it has passed.
 */
export class DiskRoom {
  readonly #folder: string;
  #isShort = false;
  #checkedAt = 0;
  #checking: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param error why something was not stored */
  refused(error: unknown): void {
    if (error instanceof StoreFullError) this.#isShort = true;
  }

  /** @throws {StoreFullError} while there is none */
  async require(): Promise<void> {
    if (!this.#isShort) return;
    const isDue = performance.now() - this.#checkedAt >= INTERVAL_MS;
    if (isDue) {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
    }
    await this.#checking;
    if (this.#isShort) throw new StoreFullError();
  }

  async #check(): Promise<void> {
    try {
      this.#isShort = !(await this.#canWrite());
    } catch {
      // Still short, of space or of a quota.
    }
    this.#checkedAt = performance.now();
  }

  async #canWrite(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#folder);
    // Nothing is written that would take the last bytes from somebody.
    if (bavail * bsize < NEEDED_BYTES) return false;
    const path = join(this.#folder, PROBE_FILE);
    try {
      const file = await open(path, 'w', 0o600);
      try {
        await file.writeFile(Buffer.alloc(NEEDED_BYTES));
        await file.sync();
      } finally {
        await file.close();
      }
    } finally {
      await rm(path, { force: true });
    }
    return true;
  }
}
