import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFullError } from '../../../../ports/store-errors.js';

/** Free bytes required after the disk was full: a write of many memories with the pages that it changes. */
const NEEDED_BYTES = 4 * 1024 * 1024;
/** Minimum time between two checks. */
const MIN_INTERVAL_MS = 1_000;
const PROBE_FILE = 'memory.probe';

/**
 * Tracks if the disk has room. After a write fails because the disk is full,
 * small writes may still fit into the existing log. So only a test file of
 * some size shows that the disk has room again.
 */
export class DiskRoom {
  readonly #folder: string;
  #isShort = false;
  #checkedAt = 0;
  #checking: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param error the reason why a write failed */
  refused(error: unknown): void {
    if (error instanceof StoreFullError) this.#isShort = true;
  }

  /** @throws {StoreFullError} while the disk has no room */
  async require(): Promise<void> {
    if (!this.#isShort) return;
    const isDue = performance.now() - this.#checkedAt >= MIN_INTERVAL_MS;
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
      // The disk or its quota is still full.
    }
    this.#checkedAt = performance.now();
  }

  async #canWrite(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#folder);
    // A test file must not use up the last bytes of the disk.
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
