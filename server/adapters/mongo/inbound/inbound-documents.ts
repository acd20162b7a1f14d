import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { InboundDeliveryDocument, InboundWebhookDocument } from '../engine/collections.js';
import { fromStored, toStored } from '../engine/documents.js';

export function toWebhookDocument(org: string, { previousSecret, ...webhook }: InboundWebhook): InboundWebhookDocument {
  const previous = previousSecret && { sealedSecret: previousSecret.sealed, until: previousSecret.until };
  return { ...toStored(org, webhook), ...(previous && { previous }) };
}

export function toWebhook({ previous, ...document }: InboundWebhookDocument): InboundWebhook {
  const previousSecret = previous && { sealed: previous.sealedSecret, until: previous.until };
  return { ...fromStored<InboundWebhook>(document), ...(previousSecret && { previousSecret }) };
}

export function toDeliveryDocument(
  org: string,
  { key, organizationId: _, ...delivery }: InboundDelivery,
): InboundDeliveryDocument {
  return { _id: key, org, ...delivery };
}

export function toDelivery({ _id, org, ...delivery }: InboundDeliveryDocument): InboundDelivery {
  return { key: _id, organizationId: org, ...delivery };
}
