import type { Deps } from '../../deps.js';
import type { Written } from '../../domain/memory/memory.js';
import { deletionOf, eventBody, eventOf, type OutboundEvent } from '../../domain/outbound/event.js';
import { listensTo } from '../../domain/outbound/webhook.js';
import type { NewDelivery } from '../../ports/outbound-store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';

/**
 * Stores a delivery for each webhook that listens to the event, and the job that sends it, in the unit that wrote the
 * memory. So an event is sent if and only if the memory was written (section 6.2).
 *
 * @param written a deletion if it has no outcome
 * @param only ids of the webhooks that get the event; all if undefined
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
