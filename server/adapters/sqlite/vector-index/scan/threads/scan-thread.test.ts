import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SpareTime } from '../../../../threads/spare-time.js';
import { NO_SIMILARITY } from '../matrix-search.js';
import { type FromThread, packed, type ThreadSearch } from './scan-messages.js';
import { ScanThread } from './scan-thread.js';

const QUERY = { codes: new Int8Array([1, 2]), step: 1 };

/** A thread that answers at once. */
class Answering extends EventEmitter {
  /** For each search, if a helper should take a part. */
  readonly isHelped: boolean[] = [];

  ref(): void {}
  unref(): void {}

  postMessage({ number, isHelped }: ThreadSearch): void {
    this.isHelped.push(isHelped);
    const reply: FromThread = { number, found: packed([]), unseen: NO_SIMILARITY, bytes: 0 };
    queueMicrotask(() => this.emit('message', reply));
  }
}

test('a helper takes a part if the event loop has time, and of several searches if it has more', async () => {
  const answering = new Answering();
  const share = vi.spyOn(SpareTime.prototype, 'share', 'get');
  onTestFinished(() => share.mockRestore());
  const thread = new ScanThread(answering as unknown as Worker, () => {});
  const search = () => thread.search(1, { query: QUERY, k: 1 });

  for (const value of [0.25, 0.35]) {
    share.mockReturnValue(value);
    await search();
  }
  for (const value of [0.55, 0.65]) {
    share.mockReturnValue(value);
    await Promise.all([search(), search(), search()]);
  }

  expect(answering.isHelped).toEqual([false, true, true, false, false, true, true, true]);
});
