import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../ports/store-errors.js';
import { RecordingSender } from '../../testing/fixtures/recording-sender.js';
import { sendingWorld } from '../../testing/fixtures/sending-world.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { endDelivery } from './deliver-outbound.js';

const HOUR_US = 60 * 60 * 1_000_000;
const DAY_US = 24 * 60 * 60 * 1_000_000;

describe('a delivery', () => {
  test('is not sent again if its job runs twice', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });

    await world.attempt();
    await world.attempt();

    expect(sender.posts).toHaveLength(1);
  });

  test('is not sent after its webhook was deleted', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    await world.remove();

    expect(await world.attempt()).toBeUndefined();
    expect(sender.posts).toEqual([]);
  });

  test('goes to the current URL of its webhook', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    await world.update({ url: 'https://example.org/new' });

    await world.attempt();

    expect(sender.posts).toMatchObject([{ url: 'https://example.org/new' }]);
  });

  test('is sent again under the same id if its result could not be stored', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    const outbound = replaceMethods(world.deps.store.outbound, {
      storeAttempt: () => Promise.reject(new StoreUnavailableError('on purpose')),
    });
    const store = replaceMethods(world.deps.store, { outbound });

    await expect(world.attempt(undefined, { ...world.deps, store })).rejects.toThrow(StoreUnavailableError);
    await world.attempt();

    expect(sender.posts.map(({ headers }) => headers['webhook-id'])).toEqual([world.first, world.first]);
    expect(await world.find(world.first)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('fails and stays in the log if the service cannot send it', async () => {
    const world = await sendingWorld({ httpSender: new RecordingSender() });

    await endDelivery(world.deps, { organizationId: world.caller.organizationId, deliveryId: world.first }, 'internal');

    expect(await world.find(world.first)).toMatchObject({ status: 'failed', lastAttempt: { failure: 'internal' } });
  });

  test('is deleted an hour after 30 days, when a later one ends', async () => {
    const world = await sendingWorld({ httpSender: new RecordingSender() });
    await world.attempt();
    world.clock.now += 30 * DAY_US + HOUR_US - 1;
    const later = await world.write('later');

    await world.attempt(later);
    const atFirst = await world.find(world.first);
    world.clock.now += 1;
    const last = await world.write('last');
    await world.attempt(last);

    expect(atFirst).toMatchObject({ status: 'delivered' });
    expect(await world.find(world.first)).toBeUndefined();
    expect(await world.find(later)).toMatchObject({ status: 'delivered' });
  });

  test('keeps the results of two attempts that ran at the same time', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    let arrive = () => {};
    const both = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    sender.answer = async () => {
      if (sender.posts.length === 2) arrive();
      await both;
      return { status: 500 };
    };

    await Promise.all([world.attempt(), world.attempt()]);

    const { status, attempts, attemptLog } = (await world.find(world.first))!;
    expect({ status, attempts }).toEqual({ status: 'pending', attempts: 2 });
    expect(attemptLog).toMatchObject([{ status: 500 }, { status: 500 }]);
  });
});

describe('an endpoint that answers 410', () => {
  test('disables its webhook: pending and new events are not sent', async () => {
    const sender = RecordingSender.answering({ status: 410 });
    const world = await sendingWorld({ httpSender: sender });
    const second = await world.write('second');

    await world.deliver();
    await world.attempt(second);
    const third = await world.write('third');

    expect(await world.webhook()).toMatchObject({ disabled: { reason: 'gone' } });
    expect(await world.find(second)).toMatchObject({
      status: 'failed',
      attempts: 0,
      lastAttempt: { failure: 'disabled' },
    });
    expect(third).toBeUndefined();
    expect(sender.posts).toHaveLength(1);
  });

  test('leaves the webhook enabled if its URL changed since the attempt began', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    sender.answer = async () => {
      await world.update({ url: 'https://example.com/elsewhere' });
      return { status: 410 };
    };

    const { delivery } = await world.deliver();

    expect(delivery).toMatchObject({ status: 'failed', lastAttempt: { status: 410 } });
    expect(await world.webhook()).not.toHaveProperty('disabled');
  });

  test('gets events again after an owner enables its webhook', async () => {
    const sender = RecordingSender.answering({ status: 410 });
    const world = await sendingWorld({ httpSender: sender });
    await world.deliver();

    await world.update({ enabled: true });
    sender.answer = () => ({ status: 200 });
    const next = await world.write('next');
    await world.attempt(next);

    expect(await world.find(next)).toMatchObject({ status: 'delivered' });
  });
});
