import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';
import type { Item, Result, Sender } from './sender.js';
import type { Entry } from './source.js';
import type { ImportState } from './state.js';
import { itemOf, type Stored, type TextFile, type TextFiles } from './text-files.js';

export interface ImportOptions {
  sender: Sender;
  files: Pick<TextFiles, 'splits' | 'split' | 'settle'>;
  /** Maximum number of items in a batch. */
  batchSize: number;
  /** The state of an earlier run of the same entries. */
  earlier: ImportState | undefined;
  /** Stops the import between two batches. */
  signal: AbortSignal;
  /** Receives the state after each batch. The next batch waits for it. */
  onState: (state: ImportState) => Promise<void>;
  /** Receives the delay before the import waits for the rate limit. */
  onWait: (seconds: number) => void;
}

const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Stores entries batch by batch, after those of an earlier run.
 *
 * @throws {CommandError} if the monthly cap is reached; the last state contains what was stored before
 */
export async function importEntries(entries: AsyncIterable<Entry>, options: ImportOptions): Promise<ImportState> {
  const run = new ImportRun(options);
  try {
    for await (const entry of entries) {
      if (options.signal.aborted) return run.state;
      await run.add(entry);
    }
    await run.finish();
  } catch (error) {
    // The batch that waited for the rate limit is not sent.
    if (!options.signal.aborted || (error as Error).name !== 'AbortError') throw error;
  }
  return run.state;
}

/** Reports if a source still starts with the entries that an earlier run processed. */
export async function isSameStart(entries: AsyncIterable<Entry>, { done, digest }: ImportState): Promise<boolean> {
  const hash = createHash('sha256');
  let count = 0;
  if (done > 0) {
    for await (const entry of entries) {
      hash.update(lineOf(entry));
      count += 1;
      if (count === done) break;
    }
  }
  return count === done && hash.digest('hex') === digest;
}

class ImportRun {
  readonly state: ImportState;
  readonly #options: ImportOptions;
  readonly #hash = createHash('sha256');
  #toSkip: number;
  #batchSize: number;
  #batch: Entry[] = [];
  #bytes = 0;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#batchSize = options.batchSize;
    this.#toSkip = options.earlier?.done ?? 0;
    this.state = structuredClone(options.earlier) ?? { done: 0, digest: '', outcomes: {}, failures: [] };
  }

  async add(entry: Entry): Promise<void> {
    const line = lineOf(entry);
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      this.#hash.update(line);
      return;
    }
    if ('file' in entry && (await this.#options.files.splits(entry.file))) {
      await this.#split(entry, entry.file);
      return;
    }
    const bytes = Buffer.byteLength(line);
    const isFull = this.#batch.length >= this.#batchSize || this.#bytes + bytes > BATCH_BYTES;
    if (this.#batch.length > 0 && isFull) await this.#send();
    this.#batch.push(entry);
    this.#bytes += bytes;
  }

  async finish(): Promise<void> {
    if (this.#batch.length > 0) await this.#send();
  }

  async #send(): Promise<void> {
    const entries = this.#batch;
    const results = await this.#ingest(entries.flatMap(itemsOf));
    this.#batch = [];
    this.#bytes = 0;
    const waiting = results.values();
    for (const entry of entries) {
      const result = itemsOf(entry).length > 0 ? waiting.next().value : undefined;
      const isFile = 'file' in entry && result !== undefined;
      const stored = isFile ? await this.#patiently(() => this.#options.files.settle(entry.file, result)) : result;
      await this.#settle(entry, stored);
    }
    await this.#keep();
  }

  /** Stores a long file, after the entries before it. */
  async #split(entry: Entry, file: TextFile): Promise<void> {
    await this.finish();
    if (this.#options.signal.aborted) return;
    await this.#settle(entry, await this.#patiently(() => this.#options.files.split(file, this.#batchSize)));
    await this.#keep();
  }

  async #settle(entry: Entry, result: Stored | undefined): Promise<void> {
    if (result && 'error' in result && result.error.code === 'quota_exceeded') throw await this.#capped(result.error);
    this.state.done += 1;
    this.#hash.update(lineOf(entry));
    if ('fault' in entry) this.state.failures.push({ at: entry.at, message: entry.fault });
    else if (!result) throw new Error(`the response has no result for ${entry.at}`);
    else if ('error' in result) this.state.failures.push({ at: entry.at, ...result.error });
    else this.state.outcomes[result.outcome] = (this.state.outcomes[result.outcome] ?? 0) + 1;
  }

  async #capped({ message }: { message: string }): Promise<CommandError> {
    await this.#keep();
    return new CommandError(`${message}; run the same command later to resume`, {
      code: 'quota_exceeded',
      exit: EXIT.later,
    });
  }

  async #keep(): Promise<void> {
    this.state.digest = this.#hash.copy().digest('hex');
    await this.#options.onState(this.state);
  }

  /** Makes a request again until it is not rejected as a whole. */
  async #patiently<T>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        await this.#comply(error);
      }
    }
  }

  /** Sends items in batches that the service accepts, and waits if the rate limit is used up. */
  async #ingest(items: Item[]): Promise<Result[]> {
    const results: Result[] = [];
    while (results.length < items.length) {
      // The batch size may shrink between two attempts.
      const part = () => items.slice(results.length, results.length + this.#batchSize);
      results.push(...(await this.#patiently(() => this.#options.sender.send(part()))));
    }
    return results;
  }

  /** Adapts to an error of a whole batch: a smaller batch, or a wait. @throws any other error */
  async #comply(error: unknown): Promise<void> {
    const { code, max, retryAfter } = error as { code?: string; max?: number; retryAfter?: number };
    if (code === 'batch_too_large' && max !== undefined && max < this.#batchSize) {
      this.#batchSize = max;
      return;
    }
    if (code !== 'rate_limited' || retryAfter === undefined) throw error;
    this.#options.onWait(retryAfter);
    await wait(retryAfter * 1_000, undefined, { signal: this.#options.signal });
  }
}

/** Returns the items that an entry adds to a batch: one, or none if it is not valid. */
function itemsOf(entry: Entry): Item[] {
  if ('fault' in entry) return [];
  return ['item' in entry ? entry.item : itemOf(entry.file)];
}

function lineOf(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`;
}
