import { type OutboundEndpoint, type OutboundWebhook, outboundState } from '../../../domain/outbound/webhook.js';
import type { OutboundWebhookDocument } from '../engine/collections.js';
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
