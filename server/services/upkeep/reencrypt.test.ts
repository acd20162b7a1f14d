import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SecretBox } from '../../domain/account/secret-box.js';
import { memoriesPlace } from '../../domain/inbound/inbound-delivery.js';
import type { Store } from '../../ports/store.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import {
  boxes,
  ENCRYPTED_TEXTS,
  type Encrypted,
  openSealed,
  rotateInbound,
  storeEncrypted,
} from '../../testing/fixtures/encrypted.js';
import { anInboundDelivery, NOON } from '../../testing/inbound/records.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { reencrypt } from './reencrypt.js';

const NOTHING = { rewrapped: 0, kept: 0 };

describe('reencrypt', () => {
  test('seals everything with the first key, in every organization, and changes nothing else', async () => {
    const { deps, caller } = await testWorld();
    const { store } = deps;
    const other = await anotherCaller(deps);
    const { old, both, fresh } = boxes();
    const sealed = [
      await storeEncrypted(store, caller.organizationId, old),
      await storeEncrypted(store, other.organizationId, old),
      await storeEncrypted(store, other.organizationId, fresh),
    ];

    const result = await reencrypt({ store, secretBox: both });

    expect(result).toMatchObject({
      counts: {
        inboundSecrets: { rewrapped: 4, kept: 2 },
        outboundSecrets: { rewrapped: 4, kept: 2 },
        deliveries: { rewrapped: 2, kept: 1 },
      },
      unopened: [],
      isSettled: true,
    });
    const secrets = {
      sealedSecret: expect.any(String),
      previousSecret: { sealed: expect.any(String), until: NOON },
    };
    for (const each of sealed) {
      const { organizationId, inbound, outbound, delivery } = each;
      expect(await openSealed(store, each, fresh)).toEqual(ENCRYPTED_TEXTS);
      expect(await store.inbound.findWebhook(inbound.id)).toEqual({
        ...inbound,
        ...secrets,
      });
      expect(await store.outbound.findWebhook(organizationId, outbound.id)).toEqual({
        ...outbound,
        ...secrets,
      });
      const stored = await store.inbound.findDelivery(organizationId, delivery.key);
      expect(stored).toEqual({ ...delivery, sealedMemories: expect.any(String) });
    }
  });

  test('writes nothing if the first key has sealed everything', async () => {
    const { deps, caller } = await testWorld();
    const { fresh, both } = boxes();
    await storeEncrypted(deps.store, caller.organizationId, fresh);
    const store = replaceMethods(deps.store, { transact: () => Promise.reject(new Error('it wrote')) });

    const result = await reencrypt({ store, secretBox: both });

    expect(result).toMatchObject({
      counts: {
        inboundSecrets: { rewrapped: 0, kept: 2 },
        outboundSecrets: { rewrapped: 0, kept: 2 },
        deliveries: { rewrapped: 0, kept: 1 },
      },
      isSettled: true,
    });
  });

  test('reads all pages', async () => {
    const { deps, caller } = await testWorld();
    const { store } = deps;
    const { old, both } = boxes();
    const { inbound } = await storeEncrypted(store, caller.organizationId, old);
    await store.transact(caller.organizationId, async (unit) => {
      for (let n = 0; n < 120; n++) {
        const bare = anInboundDelivery(inbound, { receivedAt: NOON + (n % 7) });
        const sealedMemories = old.seal('more', memoriesPlace(bare));
        await unit.inbound.insertDelivery({ ...bare, sealedMemories });
      }
    });

    const { counts } = await reencrypt({ store, secretBox: both });

    expect(counts.deliveries).toEqual({ rewrapped: 121, kept: 0 });
  });

  test('resumes an interrupted run', async () => {
    const { deps, caller } = await testWorld();
    const { old, both, fresh } = boxes();
    const sealed = await storeEncrypted(deps.store, caller.organizationId, old);
    let left = 1;
    const transact: typeof deps.store.transact = (...given) =>
      left-- > 0 ? deps.store.transact(...given) : Promise.reject(new Error('interrupted'));
    const interrupted = reencrypt({ store: replaceMethods(deps.store, { transact }), secretBox: both });
    await expect(interrupted).rejects.toThrow('interrupted');

    const { counts, isSettled } = await reencrypt({ store: deps.store, secretBox: both });

    expect(counts).toEqual({
      inboundSecrets: { rewrapped: 2, kept: 0 },
      outboundSecrets: { rewrapped: 0, kept: 2 },
      deliveries: { rewrapped: 1, kept: 0 },
    });
    expect(isSettled).toBe(true);
    expect(await openSealed(deps.store, sealed, fresh)).toEqual(ENCRYPTED_TEXTS);
  });

  test('reports texts that no key opens, leaves them unchanged, and rewraps the rest', async () => {
    const { deps, caller } = await testWorld();
    const { store } = deps;
    const { organizationId } = caller;
    const { old, both, fresh } = boxes();
    const lost = await storeEncrypted(store, organizationId, new SecretBox([randomBytes(32)]));
    const sealed = await storeEncrypted(store, organizationId, old);
    const halfLost = rotateInbound(lost.inbound, old, 'rotated since');
    await store.transact(organizationId, (unit) => unit.inbound.updateWebhook(halfLost));

    const { counts, unopened, isSettled } = await reencrypt({ store, secretBox: both });

    const reason = expect.stringContaining('not in SERVICE_ENCRYPTION_KEYS');
    const outbound = { kind: 'outboundSecrets', organizationId, webhookId: lost.outbound.id, reason };
    const inbound = { organizationId, webhookId: lost.inbound.id, reason };
    expect(unopened).toEqual([
      outbound,
      outbound,
      { ...inbound, kind: 'inboundSecrets' },
      { ...inbound, kind: 'deliveries', deliveryKey: lost.delivery.key },
    ]);
    expect(counts).toMatchObject({ inboundSecrets: { rewrapped: 3 }, outboundSecrets: { rewrapped: 2 } });
    expect(isSettled).toBe(true);
    expect(await openSealed(store, sealed, fresh)).toEqual(ENCRYPTED_TEXTS);
    expect(await store.outbound.findWebhook(organizationId, lost.outbound.id)).toEqual(lost.outbound);
    expect(await store.inbound.findDelivery(organizationId, lost.delivery.key)).toEqual(lost.delivery);
    const { previousSecret } = (await store.inbound.findWebhook(lost.inbound.id))!;
    expect(previousSecret).toEqual(halfLost.previousSecret);
  });

  test('rewraps texts that a server with the former key sealed during a pass', async () => {
    const { deps, caller } = await testWorld();
    const { old, both, fresh } = boxes();
    const laggard = await laggingServer(deps.store, caller.organizationId, old, 1);

    const { counts, isSettled } = await reencrypt({ store: laggard.store, secretBox: both });

    expect({ counts, isSettled }).toEqual({
      counts: {
        inboundSecrets: { rewrapped: 3, kept: 0 },
        outboundSecrets: { rewrapped: 2, kept: 0 },
        deliveries: { rewrapped: 1, kept: 0 },
      },
      isSettled: true,
    });
    expect(await openSealed(deps.store, laggard.sealed, fresh)).toMatchObject({
      inbound: ['rotation 1', 'inbound present'],
    });
  });

  test('reads a delivery again if another run rewrapped it first', async () => {
    const { deps, caller } = await testWorld();
    const { store } = deps;
    const { old, both, fresh } = boxes();
    const sealed = await storeEncrypted(store, caller.organizationId, fresh);
    const { key } = sealed.delivery;
    const exchange = (from: string) =>
      store.transact(caller.organizationId, (unit) =>
        unit.inbound.rewrapDelivery(key, from, old.seal(ENCRYPTED_TEXTS.delivery, memoriesPlace(sealed.delivery))),
      );
    await exchange(sealed.delivery.sealedMemories!);
    let isExchanged = false;
    const findDelivery: typeof store.inbound.findDelivery = async (...given) => {
      const found = await store.inbound.findDelivery(...given);
      if (!isExchanged) isExchanged = await exchange(found!.sealedMemories!);
      return found;
    };
    const raced = replaceMethods(store, { inbound: replaceMethods(store.inbound, { findDelivery }) });

    const { counts } = await reencrypt({ store: raced, secretBox: both });

    expect(counts.deliveries).toEqual({ rewrapped: 1, kept: 0 });
    expect(await openSealed(store, sealed, fresh)).toEqual(ENCRYPTED_TEXTS);
  });

  test('reports that it does not settle if a server keeps sealing with another key', async () => {
    const { deps, caller } = await testWorld();
    const { old, both } = boxes();
    const laggard = await laggingServer(deps.store, caller.organizationId, old, Number.POSITIVE_INFINITY);

    const { isSettled, unopened } = await reencrypt({ store: laggard.store, secretBox: both });

    expect({ isSettled, unopened }).toEqual({ isSettled: false, unopened: [] });
  });

  test('finds nothing in a service without webhooks', async () => {
    const { deps } = await testWorld();

    const result = await reencrypt(deps);

    expect(result).toMatchObject({
      counts: { inboundSecrets: NOTHING, outboundSecrets: NOTHING, deliveries: NOTHING },
      isSettled: true,
    });
  });
});

/** Rotates a webhook's secret with a former key after each of the first `times` listings of deliveries. */
async function laggingServer(
  store: Store,
  organizationId: string,
  box: SecretBox,
  times: number,
): Promise<{ store: Store; sealed: Encrypted }> {
  const sealed = await storeEncrypted(store, organizationId, box);
  let rotations = 0;
  const listDeliveries: typeof store.inbound.listDeliveries = async (...given) => {
    const listed = await store.inbound.listDeliveries(...given);
    if (rotations >= times) return listed;
    rotations += 1;
    await store.transact(organizationId, async (unit) => {
      const current = (await unit.inbound.findWebhook(sealed.inbound.id))!;
      await unit.inbound.updateWebhook(rotateInbound(current, box, `rotation ${rotations}`));
    });
    return listed;
  };
  return { store: replaceMethods(store, { inbound: replaceMethods(store.inbound, { listDeliveries }) }), sealed };
}
