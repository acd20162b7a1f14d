import type { Deps } from '../../deps.js';
import type { Written } from '../../domain/memory/memory.js';
import { deletionOf, eventBody, eventOf, type OutboundEvent } from '../../domain/outbound/event.js';
import { listensTo } from '../../domain/outbound/webhook.js';
import type { NewDelivery } from '../../ports/outbound-store.js';
import type { UnitOfWork } from '../../ports/store.js';

/**
 * Leaves, in the unit that wrote a memory, a delivery for each webhook that
 * wants to know, and the job that sends it: told if and only if written
 * (section 6.2).
 *
 * @param written without an outcome, a deletion
 * @param only ids of the webhooks that are told; all of them unless given
 */
export async function announce(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  written: Pick<Written, 'memory'> & Partial<Written>,
  only?: ReadonlySet<string>,
): Promise<void> {
  const event = toEvent(deps, written);
  if (!event) return;
  const listening = (await unit.outbound.webhooks()).filter(
    (webhook) => listensTo(webhook, event.name) && (only?.has(webhook.id) ?? true),
  );
  if (listening.length === 0) return;

  const { organizationId } = unit;
  const deliveries = listening.map((webhook) => newDelivery(deps, event, webhook.id));
  await unit.outbound.insertDeliveries(eventBody(event), deliveries);
  for (const { id: deliveryId, webhookId } of deliveries) {
    await unit.enqueue({ name: 'deliver-outbound', data: { organizationId, webhookId, deliveryId } });
  }
}

function newDelivery(
  { newId, now }: Pick<Deps, 'now' | 'newId'>,
  { name, memory }: OutboundEvent,
  webhookId: string,
): NewDelivery {
  const id = newId();
  return { id, webhookId, event: name, memoryId: memory.id, status: 'pending', attempts: 0, createdAt: now() };
}

function toEvent(
  { now }: Pick<Deps, 'now'>,
  { memory, outcome, ...rest }: Pick<Written, 'memory'> & Partial<Written>,
): OutboundEvent | undefined {
  return outcome === undefined ? deletionOf(memory) : eventOf({ memory, outcome, ...rest }, now());
}
