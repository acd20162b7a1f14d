import { describe, expect, test } from 'vitest';
import type { Store } from '../../../ports/store.js';
import { reencrypt } from '../../../services/upkeep/reencrypt.js';
import {
  boxes,
  ENCRYPTED_TEXTS,
  openSealed,
  rotateInbound,
  rotateOutbound,
  storeEncrypted,
} from '../../fixtures/encrypted.js';
import { anOrganization } from '../../fixtures/memories.js';
import { NOON } from '../../inbound/records.js';
import { replaceMethods } from '../../runner/replace-methods.js';
import type { StoreOpening } from '../store.suite.js';

const ROTATIONS = 8;

/** Tests re-encryption of secrets and deliveries while other writes happen. */
export function rewrapSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: encrypted data`, () => {
    test('replaces the encrypted text of a delivery, and nothing else of it', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const { delivery } = await storeEncrypted(tested, organizationId, boxes().old);
      const { key, sealedMemories } = delivery;

      const isExchanged = await rewrap(tested, organizationId, key, sealedMemories!, 'another');

      expect(isExchanged).toBe(true);
      const stored = await tested.inbound.findDelivery(organizationId, key);
      expect(stored).toEqual({ ...delivery, sealedMemories: 'another' });
    });

    test('leaves a delivery unchanged if its text differs, it has ended, is deleted, or is of another organization', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const { delivery } = await storeEncrypted(tested, own, boxes().old);
      const { key, sealedMemories: text, ...rest } = delivery;
      const exchanged = [
        await rewrap(tested, own, key, 'not this', 'another'),
        await rewrap(tested, other, key, text!, 'another'),
      ];
      const untouched = await tested.inbound.findDelivery(own, key);

      const ended = { ...rest, key, state: 'processed', finishedAt: NOON + 1 } as const;
      await tested.inbound.endDelivery(ended);
      exchanged.push(await rewrap(tested, own, key, text!, 'another'));
      const after = await tested.inbound.findDelivery(own, key);
      await tested.transact(own, (unit) => unit.inbound.deleteDelivery(key));
      exchanged.push(await rewrap(tested, own, key, text!, 'another'));

      expect(exchanged).toEqual([false, false, false, false]);
      expect(untouched).toEqual(delivery);
      expect(after).toEqual(ended);
      expect(await tested.inbound.findDelivery(own, key)).toBeUndefined();
    });

    test.runIf(reopen)('can be decrypted with the new key alone after a re-encryption and a restart', async () => {
      const first = await openEmpty();
      const { old, both, fresh } = boxes();
      const sealed = await storeEncrypted(first, await anOrganization(first), old);

      const { isSettled, unopened } = await reencrypt({ store: first, secretBox: both });
      const tested = await reopen!(first);

      expect({ isSettled, unopened }).toEqual({ isSettled: true, unopened: [] });
      expect(await openSealed(tested, sealed, fresh)).toEqual(ENCRYPTED_TEXTS);
    });

    test('keeps a change or deletion made between the read and the write of a re-encryption', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const { old, both, fresh } = boxes();
      const changed = await storeEncrypted(tested, organizationId, old);
      const deleted = await storeEncrypted(tested, organizationId, old);
      const { sealedMemories: _, ...rest } = changed.delivery;
      const ended = { ...rest, state: 'processed', finishedAt: NOON } as const;
      const { inbound, outbound } = tested;
      const store = replaceMethods(tested, {
        outbound: replaceMethods(outbound, {
          listWebhooks: followed(outbound.listWebhooks.bind(outbound), () =>
            tested.transact(organizationId, async (unit) => {
              await unit.outbound.updateWebhook(rotateOutbound(organizationId, changed.outbound, both, 'rotated'));
              await unit.outbound.deleteWebhook(deleted.outbound.id);
            }),
          ),
        }),
        inbound: replaceMethods(inbound, {
          listWebhooks: followed(inbound.listWebhooks.bind(inbound), () =>
            tested.transact(organizationId, async (unit) => {
              await unit.inbound.updateWebhook(rotateInbound(changed.inbound, both, 'rotated'));
              await unit.inbound.deleteWebhook(deleted.inbound.id);
            }),
          ),
          findDelivery: followed(inbound.findDelivery.bind(inbound), () => tested.inbound.endDelivery(ended)),
        }),
      });

      const { isSettled, unopened } = await reencrypt({ store, secretBox: both });

      expect({ isSettled, unopened }).toEqual({ isSettled: true, unopened: [] });
      expect(await openSealed(tested, changed, fresh)).toEqual({
        inbound: ['rotated', 'inbound present'],
        outbound: ['rotated', 'outbound present'],
      });
      expect(await inbound.findDelivery(organizationId, ended.key)).toEqual(ended);
      expect(await inbound.findWebhook(deleted.inbound.id)).toBeUndefined();
      expect(await inbound.findDelivery(organizationId, deleted.delivery.key)).toBeUndefined();
      expect(await outbound.findWebhook(organizationId, deleted.outbound.id)).toBeUndefined();
    });

    test('keeps every rotation that runs at the same time', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const { old, both, fresh } = boxes();
      const sealed = await storeEncrypted(tested, organizationId, old);
      const rotate = (secret: string) =>
        tested.transact(organizationId, async (unit) => {
          const inbound = await unit.inbound.findWebhook(sealed.inbound.id);
          const [outbound] = await unit.outbound.webhooks();
          await unit.inbound.updateWebhook(rotateInbound(inbound!, old, secret));
          await unit.outbound.updateWebhook(rotateOutbound(organizationId, outbound!, old, secret));
        });
      const rotateAll = async () => {
        for (let n = 1; n <= ROTATIONS; n++) await rotate(`rotation ${n}`);
      };

      await Promise.all([rotateAll(), reencrypt({ store: tested, secretBox: both })]);
      await reencrypt({ store: tested, secretBox: both });

      const secrets = [`rotation ${ROTATIONS}`, `rotation ${ROTATIONS - 1}`];
      expect(await openSealed(tested, sealed, fresh)).toEqual({
        ...ENCRYPTED_TEXTS,
        inbound: secrets,
        outbound: secrets,
      });
    });
  });
}

function rewrap(store: Store, organizationId: string, key: string, from: string, to: string): Promise<boolean> {
  return store.transact(organizationId, (unit) => unit.inbound.rewrapDelivery(key, from, to));
}

/** Wraps a method: something happens after its first result, before the caller gets it. */
function followed<Given extends unknown[], Answer>(
  method: (...given: Given) => Promise<Answer>,
  happen: () => Promise<unknown>,
): (...given: Given) => Promise<Answer> {
  let hasHappened = false;
  return async (...given) => {
    const answer = await method(...given);
    if (!hasHappened) {
      hasHappened = true;
      await happen();
    }
    return answer;
  };
}
