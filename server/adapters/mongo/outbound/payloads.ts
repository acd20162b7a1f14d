import type { ClientSession } from 'mongodb';
import type { OutboundDelivery } from '../../../domain/outbound/delivery.js';
import type { Collections, OutboundDeliveryDocument } from '../engine/collections.js';
import { partOf } from '../engine/documents.js';
import { limitedTo } from '../engine/paging.js';

type OutboundCollections = Pick<Collections, 'outboundDeliveries' | 'outboundPayloads'>;

/** Returns deliveries with their bodies. Deliveries of one event share a body. */
export async function withBodies(
  { outboundPayloads }: OutboundCollections,
  org: string,
  documents: readonly OutboundDeliveryDocument[],
  options: { session?: ClientSession } = {},
): Promise<OutboundDelivery[]> {
  const ids = payloadsOf(documents);
  const whole = { ...options, ...limitedTo(ids.length) };
  const found = ids.length > 0 ? await outboundPayloads.find({ _id: { $in: ids }, org }, whole).toArray() : [];
  const bodies = new Map(found.map(({ _id, body }) => [_id, body]));
  return documents.map(({ payload, body, attemptLog = [], ...document }) => {
    const shared = payload === undefined ? body : bodies.get(payload);
    if (shared === undefined) throw new Error(`The delivery ${document._id} has no body`);
    return partOf<OutboundDelivery>({ ...document, body: shared, attemptLog });
  });
}

/** Removes deliveries, and the payloads that no other delivery refers to. */
export async function removeDeliveries(
  { outboundDeliveries, outboundPayloads }: OutboundCollections,
  org: string,
  documents: readonly Pick<OutboundDeliveryDocument, '_id' | 'payload'>[],
  session: ClientSession,
): Promise<void> {
  await outboundDeliveries.deleteMany({ _id: { $in: documents.map(({ _id }) => _id) }, org }, { session });
  const ids = payloadsOf(documents);
  if (ids.length === 0) return;
  const used = new Set(await outboundDeliveries.distinct('payload', { org, payload: { $in: ids } }, { session }));
  const unused = ids.filter((id) => !used.has(id));
  if (unused.length > 0) await outboundPayloads.deleteMany({ _id: { $in: unused }, org }, { session });
}

function payloadsOf(documents: readonly Pick<OutboundDeliveryDocument, 'payload'>[]): string[] {
  return [...new Set(documents.flatMap(({ payload }) => payload ?? []))];
}
