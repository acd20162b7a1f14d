import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { SpareTime } from '../../../../threads/spare-time.js';
import { SharedWork } from '../helper/shared-work.js';
import { NO_SIMILARITY } from '../matrix-search.js';
import { type FromThread, packed, type ToThread } from './scan-messages.js';
import { ScanThread } from './scan-thread.js';

const QUERY = { codes: new Int8Array([1, 2]), step: 1 };

/** A thread that answers at once. */
class Answering extends EventEmitter {
  isShared = false;

  ref(): void {}
  unref(): void {}

  postMessage({ number }: ToThread & { number: number }): void {
    const { isShared } = this;
    const reply: FromThread = { number, isShared, found: packed([]), unseen: NO_SIMILARITY, bytes: 0 };
    queueMicrotask(() => this.emit('message', reply));
  }
}

test('a search wakes the helper if it could help before, and if the event loop has time', async () => {
  const answering = new Answering();
  const work = new SharedWork(SharedWork.newBuffer());
  const share = vi.spyOn(SpareTime.prototype, 'share', 'get').mockReturnValue(0.55);
  const thread = new ScanThread(answering as unknown as Worker, () => {}, work);
  const wakesAfter = async (isShared: boolean) => {
    answering.isShared = isShared;
    await thread.search(1, { query: QUERY, k: 1 });
    await setImmediate();
    return work.wakes;
  };

  const wakes = [await wakesAfter(false), await wakesAfter(true), await wakesAfter(true)];
  share.mockReturnValue(0.45);
  wakes.push(await wakesAfter(true));
  share.mockReturnValue(0.55);
  wakes.push(await wakesAfter(false), await wakesAfter(false));
  share.mockRestore();

  expect(wakes).toEqual([0, 0, 1, 1, 2, 2]);
});

test('with several searches, the event loop must have more time', async () => {
  const answering = new Answering();
  answering.isShared = true;
  const work = new SharedWork(SharedWork.newBuffer());
  const share = vi.spyOn(SpareTime.prototype, 'share', 'get').mockReturnValue(0.55);
  const thread = new ScanThread(answering as unknown as Worker, () => {}, work);
  await thread.search(1, { query: QUERY, k: 1 });
  const three = async () => {
    await Promise.all([1, 2, 3].map(() => thread.search(1, { query: QUERY, k: 1 })));
    await setImmediate();
    return work.wakes;
  };

  const few = await three();
  share.mockReturnValue(0.65);
  const all = await three();
  share.mockRestore();

  expect([few, all]).toEqual([1, 4]);
});
