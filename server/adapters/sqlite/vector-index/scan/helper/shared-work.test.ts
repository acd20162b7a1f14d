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

test('the owner waits for the pieces of the helper', () => {
  const { owner, helper } = twoThreads();
  owner.publish(WORK, 2);
  const wait = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
    helper.done();
    return 'ok';
  });
  onTestFinished(() => wait.mockRestore());

  owner.awaitDone(0);
  expect(wait).not.toHaveBeenCalled();
  owner.awaitDone(2);
  expect(wait).toHaveBeenCalledTimes(2);
  owner.publish(WORK, 1);
  owner.awaitDone(1);

  expect(wait).toHaveBeenCalledTimes(3);
});

test('the owner does not wait for ever', () => {
  const { owner } = twoThreads();
  const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  onTestFinished(() => wait.mockRestore());
  owner.publish(WORK, 1);

  expect(() => owner.awaitDone(1)).toThrow('does not answer');
});

test('a helper that is woken before it sleeps does not sleep', () => {
  const { owner, helper } = twoThreads();
  const { wakes } = helper;
  owner.publish(WORK, 1);

  helper.sleep(wakes);

  expect(helper.wakes).toBe(wakes + 1);
});
