import { expect, onTestFinished, test, vi } from 'vitest';
import { MAX_PIECES, SharedWork } from './shared-work.js';

const WORK = { kernel: 3, pages: 40, address: 2 ** 31 + 64 };

/** Returns the same work as two threads see it. */
function twoThreads(): { owner: SharedWork; helper: SharedWork } {
  const buffer = SharedWork.newBuffer();
  return { owner: new SharedWork(buffer), helper: new SharedWork(buffer) };
}

test('each piece is taken once', () => {
  const { owner, helper } = twoThreads();
  owner.publish(WORK, 5);

  const first = helper.take();
  const others = [owner.takeOwn(), owner.takeOwn(), helper.take()?.index, owner.takeOwn()];

  expect(first).toEqual({ ...WORK, index: 4 });
  expect(others).toEqual([3, 2, 1, 0]);
  expect([owner.takeOwn(), helper.take()]).toEqual([undefined, undefined]);
});

test('there may be thousands of pieces, and millions of works', () => {
  const { owner, helper } = twoThreads();

  for (let work = 0; work < 1_100_000; work += 1) owner.publish(WORK, 0);
  owner.publish(WORK, MAX_PIECES);

  for (let index = MAX_PIECES - 1; index >= 0; index -= 1) expect(helper.take()?.index).toBe(index);
  expect(helper.take()).toBeUndefined();
});

test('a thread that was interrupted takes no piece of new work by the address of the former one', () => {
  const { owner, helper } = twoThreads();
  owner.publish(WORK, 1);
  const compareExchange = vi.spyOn(Atomics, 'compareExchange');
  onTestFinished(() => compareExchange.mockRestore());
  compareExchange.mockImplementationOnce((...exchange) => {
    compareExchange.mockRestore();
    owner.takeOwn();
    owner.publish({ ...WORK, address: 128 }, 1);
    return Atomics.compareExchange(...exchange);
  });

  expect(helper.take()).toEqual({ ...WORK, address: 128, index: 0 });
  expect(helper.take()).toBeUndefined();
});

test('the owner learns which pieces of all works the helper has done, and waits for a short time', () => {
  const { owner, helper } = twoThreads();
  owner.publish(WORK, 2);
  helper.take();
  helper.done();
  helper.take();
  const before = owner.awaitDone(2);
  owner.publish(WORK, 1);
  helper.done();

  expect(before).toBe(false);
  expect(owner.awaitDone(2)).toBe(true);
  expect(owner.doneByHelper).toBe(2);
});

test('a helper that is woken before it sleeps does not sleep', () => {
  const { owner, helper } = twoThreads();
  const { wakes } = helper;
  owner.publish(WORK, 1);

  helper.sleep(wakes);

  expect(helper.wakes).toBe(wakes + 1);
});
