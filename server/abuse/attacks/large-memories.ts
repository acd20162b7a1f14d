import type { BenchClient } from '../../bench/client.js';
import { storeBatches } from '../target.js';
import { largeContent } from '../texts.js';

const BATCH = 25;
/** A few more than a page contains. */
const SHORT = 25;

/** Stores memories of the maximum length with one client. */
export async function storeLarge(client: BenchClient | undefined, isShort: boolean): Promise<void> {
  const count = isShort ? SHORT : 4 * BATCH;
  for (let at = 0; at < count; at += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => ({ content: largeContent(at + n) }));
    if (client) await storeBatches(client, items);
  }
}
