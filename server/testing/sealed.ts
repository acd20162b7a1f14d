import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { type InboundDelivery, memoriesPlace } from '../domain/inbound/inbound-delivery.js';
import { type InboundWebhook, secretPlace as inboundPlace } from '../domain/inbound/inbound-webhook.js';
import { type OutboundWebhook, secretPlace as outboundPlace } from '../domain/outbound/webhook.js';
import { SecretBox } from '../domain/secret-box.js';
import type { Store } from '../ports/store.js';
import { anInboundDelivery, anInboundWebhook, NOON } from './inbound/records.js';

/** Boxes of an operator who changes over from an old key to a new one. */
export interface Boxes {
  old: SecretBox;
  /** Seals with the new key and opens what either has sealed. */
  both: SecretBox;
  fresh: SecretBox;
}

export function boxes(): Boxes {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  return { old: new SecretBox([old]), both: new SecretBox([fresh, old]), fresh: new SecretBox([fresh]) };
}

/** A webhook in each direction, both with a secret before the present one, and a delivery that waits. */
export interface Sealed {
  organizationId: string;
  inbound: InboundWebhook;
  outbound: OutboundWebhook;
  delivery: InboundDelivery;
}

/** What `storeSealed` stores, in clear. */
export const SEALED_TEXTS = {
  inbound: ['inbound present', 'inbound before'],
  outbound: ['outbound present', 'outbound before'],
  delivery: 'brought',
};

/** Stores one of each kind of what is sealed. */
export async function storeSealed(store: Store, organizationId: string, box: SecretBox): Promise<Sealed> {
  const inbound = rotateInbound(
    rotateInbound(anInboundWebhook(organizationId), box, 'inbound before'),
    box,
    'inbound present',
  );
  const outbound = outboundWebhook(organizationId, box);
  const bare = anInboundDelivery(inbound);
  const delivery = { ...bare, sealedMemories: box.seal(SEALED_TEXTS.delivery, memoriesPlace(bare)) };
  await store.transact(organizationId, async (unit) => {
    await unit.inbound.insertWebhook(inbound);
    await unit.outbound.insertWebhook(outbound);
    await unit.inbound.insertDelivery(delivery);
  });
  return { organizationId, inbound, outbound, delivery };
}

/** A webhook as a rotation leaves it. */
export function rotateInbound(webhook: InboundWebhook, box: SecretBox, secret: string): InboundWebhook {
  const { sealedSecret } = webhook;
  return { ...webhook, sealedSecret: box.seal(secret, inboundPlace(webhook)), previous: { sealedSecret, until: NOON } };
}

/** A webhook as a rotation leaves it. */
export function rotateOutbound(
  organizationId: string,
  webhook: OutboundWebhook,
  box: SecretBox,
  secret: string,
): OutboundWebhook {
  const { id, secret: sealed } = webhook;
  const place = outboundPlace(organizationId, id);
  return { ...webhook, secret: box.seal(secret, place), previousSecret: { sealed, until: NOON } };
}

/** What is stored by now, in clear; nothing of a delivery that has ended. @throws {SecretBoxError} for another key's */
export async function openSealed(
  store: Store,
  { organizationId, inbound: { id }, outbound, delivery }: Sealed,
  box: SecretBox,
): Promise<{ inbound: string[]; outbound: string[]; delivery?: string }> {
  const receiving = await store.inbound.findWebhook(id);
  const sending = await store.outbound.findWebhook(organizationId, outbound.id);
  const waiting = await store.inbound.findDelivery(organizationId, delivery.key);
  const open = (texts: readonly (string | undefined)[], place: string) =>
    texts.map((text) => box.open(text ?? '', place));
  return {
    inbound: open([receiving?.sealedSecret, receiving?.previous?.sealedSecret], inboundPlace({ organizationId, id })),
    outbound: open([sending?.secret, sending?.previousSecret?.sealed], outboundPlace(organizationId, outbound.id)),
    ...(waiting?.sealedMemories !== undefined && {
      delivery: box.open(waiting.sealedMemories, memoriesPlace(delivery)),
    }),
  };
}

function outboundWebhook(organizationId: string, box: SecretBox): OutboundWebhook {
  const id = v7();
  const [secret, before] = SEALED_TEXTS.outbound.map((text) => box.seal(text, outboundPlace(organizationId, id)));
  return {
    id,
    url: 'https://example.com/hook',
    events: ['memory.ingested'],
    description: 'a receiver',
    secret: secret!,
    previousSecret: { sealed: before!, until: NOON },
    createdAt: NOON,
    updatedAt: NOON,
  };
}
