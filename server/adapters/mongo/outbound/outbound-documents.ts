import type { UpdateFilter } from 'mongodb';
import type { OutboundDelivery } from '../../../domain/outbound/delivery.js';
import { type OutboundEndpoint, type OutboundWebhook, outboundState } from '../../../domain/outbound/webhook.js';
import type { OutboundDeliveryDocument, OutboundWebhookDocument } from '../engine/collections.js';
import { partOf, toStored } from '../engine/documents.js';

export function toWebhookDocument(
  org: string,
  { sealedSecret, enabled: _, disabled, ...webhook }: OutboundWebhook,
): OutboundWebhookDocument {
  return { ...toStored(org, webhook), secret: sealedSecret, ...(disabled && { disabled }) };
}

export function toWebhook({ secret, disabled, ...document }: OutboundWebhookDocument): OutboundWebhook {
  const endpoint = partOf<Omit<OutboundEndpoint, 'sealedSecret'>>(document);
  return { ...endpoint, sealedSecret: secret, ...outboundState(disabled) };
}

/** Returns the update that gives a delivery another state. */
export function stateUpdate({
  status,
  attempts,
  nextAttemptAt,
  lastAttempt,
  attemptLog,
}: OutboundDelivery): UpdateFilter<OutboundDeliveryDocument> {
  const gone = {
    ...(nextAttemptAt === undefined && { nextAttemptAt: true as const }),
    ...(lastAttempt === undefined && { lastAttempt: true as const }),
  };
  return {
    $set: {
      status,
      attempts,
      attemptLog,
      ...(nextAttemptAt !== undefined && { nextAttemptAt }),
      ...(lastAttempt && { lastAttempt }),
    },
    ...(Object.keys(gone).length > 0 && { $unset: gone }),
  };
}
