import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { InboundKind } from '../../domain/inbound/inbound-webhook.js';
import { ingestDelivery } from '../../services/inbound/inbound-ingest.js';
import { receiveDelivery } from '../../services/inbound/inbound-receive.js';
import { createInboundWebhook, type ShownWebhook } from '../../services/inbound/inbound-webhooks.js';

/** Lists the first hundred memories. */
export const EVERYTHING = { filter: { metadata: [] }, includeDeleted: false, order: 'oldest', limit: 100 } as const;

/** Registers a sender as an owner. */
export async function register(deps: Deps, caller: Caller, kind: InboundKind): Promise<ShownWebhook> {
  return createInboundWebhook(deps, caller, { kind, name: 'sender' });
}

/** Receives a delivery, and returns the key under which it is queued. */
export async function receive(
  deps: Deps,
  { webhook, secret }: ShownWebhook,
  event: string | undefined,
  payload: object,
  requestId = 'request-1',
): Promise<string> {
  const body = Buffer.from(JSON.stringify(payload));
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const receipt = await receiveDelivery(deps, {
    kind: webhook.kind,
    webhookId: webhook.id,
    body,
    parse: (bytes) => JSON.parse(bytes.toString()) as unknown,
    signature: webhook.kind === 'codehost' ? `sha256=${digest}` : digest,
    event,
    deliveryId: deps.newId(),
    origin: { requestId },
  });
  expect(receipt).toBe('queued');
  const [latest] = await deps.store.inbound.listDeliveries(webhook.organizationId, webhook.id, { limit: 1 });
  return latest!.key;
}

/** Receives and ingests a delivery, and returns its key. */
export async function deliver(...given: Parameters<typeof receive>): Promise<string> {
  const [deps, { webhook }] = given;
  const key = await receive(...given);
  await ingestDelivery(deps, webhook.organizationId, key);
  return key;
}

/** Returns the stored delivery. */
export async function delivery(deps: Deps, { organizationId }: Caller, key: string): Promise<object> {
  return (await deps.store.inbound.findDelivery(organizationId, key))!;
}

/** Returns the contents of the memories, oldest first. */
export async function contents(deps: Deps, { organizationId }: Caller): Promise<string[]> {
  return (await deps.store.memories.list(organizationId, EVERYTHING)).map(({ content }) => content);
}
