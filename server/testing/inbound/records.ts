import { v7 } from 'uuid';
import type { InboundDelivery } from '../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../domain/inbound/inbound-webhook.js';

export const NOON = 1_700_000_000_000_000;

/** Returns a webhook of a code host for all events. */
export function anInboundWebhook(organizationId: string, overrides: Partial<InboundWebhook> = {}): InboundWebhook {
  return {
    id: v7(),
    organizationId,
    kind: 'codehost',
    name: 'code',
    events: ['push', 'issues'],
    enabled: true,
    sealedSecret: 'sealed',
    createdAt: NOON,
    updatedAt: NOON,
    ...overrides,
  };
}

/** Returns a queued delivery to a webhook, different from every other. */
export function anInboundDelivery(
  { id, organizationId }: InboundWebhook,
  overrides: Partial<InboundDelivery> = {},
): InboundDelivery {
  return {
    key: v7(),
    organizationId,
    webhookId: id,
    deliveryId: v7(),
    bodyHash: v7(),
    event: 'push',
    state: 'queued',
    receivedAt: NOON,
    requestId: 'request-1',
    counts: { stored: 0, skipped: 0, rejected: 0, omitted: 0 },
    ...overrides,
  };
}
