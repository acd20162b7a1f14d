import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundDeliveryDocument } from '../engine/collections.js';

export function toDeliveryDocument(
  org: string,
  { key, organizationId: _, ...delivery }: InboundDelivery,
): InboundDeliveryDocument {
  return { _id: key, org, ...delivery };
}

export function toDelivery({ _id, org, ...delivery }: InboundDeliveryDocument): InboundDelivery {
  return { key: _id, organizationId: org, ...delivery };
}
