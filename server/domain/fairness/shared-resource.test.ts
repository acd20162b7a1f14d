import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Owner, ShareExceededError } from './owner.js';
import { type Lease, SharedResource } from './shared-resource.js';

const tenant = (id: string): Owner => ({ kind: 'tenant', id });
const address = (id: string): Owner => ({ kind: 'address', id });

describe('take', () => {
  test('grants up to the capacity, and rejects more', () => {
    const slots = new SharedResource('slots', { capacity: 2, shares: {} });
    slots.take([tenant('a')]);
    const second = slots.take([tenant('b')]);

    expect(() => slots.take([tenant('c')])).toThrow(new ShareExceededError('slots', 'capacity', 2));
    second.release();
    expect(() => slots.take([tenant('c')])).not.toThrow();
    expect(slots.use).toEqual({ inUse: 2, waiting: 0, refused: 1 });
  });

  test('grants one owner at most the share of its kind, even if more is free', () => {
    const slots = new SharedResource('slots', { capacity: 10, shares: { tenant: 2, address: 3 } });
    slots.take([tenant('a'), address('1')]);
    slots.take([tenant('a'), address('1')]);

    expect(() => slots.take([tenant('a'), address('2')])).toThrow('the share of one tenant is in use');
    slots.take([tenant('b'), address('1')]);
    expect(() => slots.take([tenant('b'), address('1')])).toThrow('the share of one address is in use');
  });

  test('grants an amount beyond every bound if nothing is in use', () => {
    const bytes = new SharedResource('bytes', { capacity: 100, shares: { tenant: 50 } });

    const large = bytes.take([tenant('a')], 1_000);

    expect(() => bytes.take([tenant('b')], 1)).toThrow(ShareExceededError);
    large.release();
    expect(bytes.use.inUse).toBe(0);
  });

  test('grants nothing of a capacity of 0', () => {
    const slots = new SharedResource('slots', { capacity: 0, shares: {} });

    expect(() => slots.take([tenant('a')])).toThrow(ShareExceededError);
  });

  test('rejects requests if held amounts exceed the bounds', () => {
    const bytes = new SharedResource('bytes', { capacity: 100, shares: { tenant: 10 } });

    const held = [bytes.hold([tenant('a')], 8), bytes.hold([tenant('a')], 80)];

    expect(bytes.use.inUse).toBe(88);
    expect(() => bytes.take([tenant('a')])).toThrow('the share of one tenant is in use');
    for (const lease of held) lease.release();
    expect(() => bytes.take([tenant('a')])).not.toThrow();
  });

  test('is announced by assertFree, which grants nothing', () => {
    const slots = new SharedResource('slots', { capacity: 2, shares: { tenant: 1 } });
    slots.assertFree([tenant('a')]);
    const first = slots.take([tenant('a')]);

    expect(() => slots.assertFree([tenant('a')])).toThrow(new ShareExceededError('slots', 'tenant', 1));
    slots.assertFree([tenant('b')]);
    first.release();
    slots.assertFree([tenant('a')]);
    expect(slots.use).toEqual({ inUse: 0, waiting: 0, refused: 1 });
  });

  test('releases a lease only once', () => {
    const slots = new SharedResource('slots', { capacity: 2, shares: {} });
    const first = slots.take([tenant('a')]);
    slots.take([tenant('b')]);

    first.release();
    first.release();

    expect(slots.use.inUse).toBe(1);
  });
});

describe('the largest owners', () => {
  test('use at least the average of their kind', () => {
    const slots = new SharedResource('slots', { capacity: 100, shares: {} });
    slots.take([tenant('a')], 9);
    slots.take([tenant('b')], 2);
    slots.take([address('1')], 50);

    expect(slots.inUseOf(tenant('a'))).toBe(9);
    expect([tenant('a'), tenant('b'), tenant('c')].map((owner) => slots.isAmongLargest(owner))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('are all owners if all use the same amount', () => {
    const slots = new SharedResource('slots', { capacity: 100, shares: {} });
    for (const id of ['a', 'b', 'c']) slots.take([tenant(id)], 3);

    expect(['a', 'b', 'c'].every((id) => slots.isAmongLargest(tenant(id)))).toBe(true);
  });
});

describe('wait', () => {
  test('serves owners in turn, even if one of them has many requests', async () => {
    const { slots, served, ask } = busyResource({ capacity: 1, shares: {}, maxWaiting: 100 });
    const blocking = slots.take([tenant('x')]);
    for (let n = 0; n < 5; n += 1) ask('a');
    ask('b');
    ask('c');

    blocking.release();
    await settle();

    expect(served).toEqual(['a', 'b', 'c', 'a', 'a', 'a', 'a']);
  });

  test('skips an owner whose share is in use', async () => {
    const { slots, served, ask } = busyResource({ capacity: 3, shares: { tenant: 1 }, maxWaiting: 100 });
    const held = slots.take([tenant('a')]);
    slots.take([tenant('x')]);
    const blocking = slots.take([tenant('y')]);
    ask('a');
    ask('b');

    blocking.release();
    await settle();
    expect(served).toEqual(['b']);

    held.release();
    await settle();
    expect(served).toEqual(['b', 'a']);
  });

  test('rejects if the queue is full, for all or for one owner', async () => {
    const slots = new SharedResource('slots', {
      capacity: 1,
      shares: {},
      maxWaiting: 3,
      waitingShares: { tenant: 2 },
    });
    slots.take([tenant('x')]);
    void slots.wait([tenant('a')]);
    void slots.wait([tenant('a')]);

    await expect(slots.wait([tenant('a')])).rejects.toThrow(new ShareExceededError('slots', 'tenant', 2));
    void slots.wait([tenant('b')]);
    await expect(slots.wait([tenant('c')])).rejects.toMatchObject({ by: 'capacity', limit: 3 });
    expect(slots.use).toEqual({ inUse: 1, waiting: 3, refused: 2 });
  });

  test('rejects when its signal is aborted, and frees its place in the queue', async () => {
    const slots = new SharedResource('slots', { capacity: 1, shares: {}, maxWaiting: 1 });
    const blocking = slots.take([tenant('x')]);
    const abort = new AbortController();
    const waiting = slots.wait([tenant('a')], 1, abort.signal);

    abort.abort(new Error('the caller is gone'));

    await expect(waiting).rejects.toThrow('the caller is gone');
    expect(slots.use.waiting).toBe(0);
    const next = slots.wait([tenant('b')]);
    blocking.release();
    await expect(next).resolves.toBeDefined();
  });

  test('rejects at its deadline, names the bound, and frees its place in the queue', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const bounds = { capacity: 2, shares: { tenant: 1 }, maxWaiting: 2, maxWaitMs: 5_000 };
    const slots = new SharedResource('slots', bounds);
    const [first, second] = [slots.take([tenant('a')]), slots.take([tenant('b')])];
    const late = [slots.wait([tenant('a')]), slots.wait([tenant('c')])].map((each) => each.catch((error) => error));

    vi.advanceTimersByTime(4_999);
    const waitingBefore = slots.use.waiting;
    vi.advanceTimersByTime(1);

    expect(waitingBefore).toBe(2);
    expect(await Promise.all(late)).toEqual([
      new ShareExceededError('slots', 'tenant', 1, 5_000),
      new ShareExceededError('slots', 'capacity', 2, 5_000),
    ]);
    expect(slots.use).toEqual({ inUse: 2, waiting: 0, refused: 2 });
    const next = slots.wait([tenant('a')]);
    for (const lease of [first, second]) lease.release();
    await expect(next).resolves.toBeDefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('has no deadline for the service itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const slots = new SharedResource('slots', { capacity: 1, shares: {}, maxWaiting: 1, maxWaitMs: 5_000 });
    const blocking = slots.take([tenant('x')]);
    const waiting = slots.wait([{ kind: 'service', id: 'service' }]);

    vi.advanceTimersByTime(60_000);
    blocking.release();

    await expect(waiting).resolves.toBeDefined();
  });

  test('serves requests of one owner in their order', async () => {
    const { slots, served, ask } = busyResource({ capacity: 2, shares: { tenant: 1 }, maxWaiting: 10 });
    const held = slots.take([tenant('a')]);
    ask('a', 'first');
    held.release();
    ask('a', 'second');
    await settle();

    expect(served).toEqual(['first', 'second']);
  });
});

test('no sequence of requests exceeds a bound, starves an owner or loses a lease', async () => {
  const steps = fc.array(
    fc.record({ owner: fc.integer({ min: 0, max: 4 }), amount: fc.integer({ min: 1, max: 3 }), release: fc.boolean() }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const resource = new SharedResource('r', { capacity: 6, shares: { tenant: 4 }, maxWaiting: 1_000 });
      const leases: Lease[] = [];
      let granted = 0;
      for (const { owner, amount, release } of sequence) {
        void resource.wait([tenant(String(owner))], amount).then((lease) => {
          granted += 1;
          leases.push(lease);
        });
        await settle();
        expect(resource.use.inUse).toBeLessThanOrEqual(6);
        if (release) leases.shift()?.release();
        await settle();
      }
      while (leases.length > 0 || resource.use.waiting > 0) {
        leases.shift()?.release();
        await settle();
      }
      expect(granted).toBe(sequence.length);
      expect(resource.use).toEqual({ inUse: 0, waiting: 0, refused: 0 });
    }),
  );
});

/** Returns a resource, and a function that requests it, records who was served, and releases immediately. */
function busyResource(bounds: ConstructorParameters<typeof SharedResource>[1]) {
  const slots = new SharedResource('slots', bounds);
  const served: string[] = [];
  const ask = (id: string, name = id) => {
    void slots.wait([tenant(id)]).then((lease) => {
      served.push(name);
      lease.release();
    });
  };
  return { slots, served, ask };
}

/** Runs all pending promise callbacks. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
