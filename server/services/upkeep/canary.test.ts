import { describe, expect, test } from 'vitest';
import { SecretBox } from '../../domain/account/secret-box.js';
import { StoreOpenError } from '../../ports/store-errors.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { boxes } from '../../testing/fixtures/encrypted.js';
import { acceptKeys, requireKeys, rewrapCanary } from './canary.js';

const strange = () => new SecretBox([Buffer.alloc(32, 7)]);

describe('requireKeys', () => {
  test('binds the store to the keys of the first start, and rejects others afterwards', async () => {
    const { store } = (await testWorld()).deps;
    const { old } = boxes();

    await requireKeys({ store, secretBox: old });
    await requireKeys({ store, secretBox: old });
    const wrong = requireKeys({ store, secretBox: strange() });

    await expect(wrong).rejects.toThrow(StoreOpenError);
    await expect(wrong).rejects.toThrow(/put back .*encryption\.key.*SERVICE_ENCRYPTION_KEYS.*--lost-key/);
  });

  test('stores one canary if servers start at the same time', async () => {
    const { store } = (await testWorld()).deps;

    const started = await Promise.allSettled([
      requireKeys({ store, secretBox: boxes().old }),
      requireKeys({ store, secretBox: strange() }),
    ]);

    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('accepts the store throughout a key rotation', async () => {
    const { store } = (await testWorld()).deps;
    const { old, both, fresh } = boxes();
    await requireKeys({ store, secretBox: old });

    await requireKeys({ store, secretBox: both });
    await expect(requireKeys({ store, secretBox: fresh })).rejects.toThrow(StoreOpenError);
    expect(await rewrapCanary({ store, secretBox: both })).toBe(true);
    await requireKeys({ store, secretBox: fresh });

    await expect(requireKeys({ store, secretBox: old })).rejects.toThrow(StoreOpenError);
  });
});

describe('rewrapCanary', () => {
  test('changes nothing with keys of another store, or in a store without one', async () => {
    const { store } = (await testWorld()).deps;
    expect(await rewrapCanary({ store, secretBox: strange() })).toBe(true);
    expect(await store.canary.read()).toBeUndefined();
    await requireKeys({ store, secretBox: boxes().old });
    const before = await store.canary.read();

    expect(await rewrapCanary({ store, secretBox: strange() })).toBe(false);

    expect(await store.canary.read()).toBe(before);
  });
});

test('acceptKeys lets servers start with other keys', async () => {
  const { store } = (await testWorld()).deps;
  await requireKeys({ store, secretBox: boxes().old });

  await acceptKeys({ store, secretBox: strange() });

  await requireKeys({ store, secretBox: strange() });
});
