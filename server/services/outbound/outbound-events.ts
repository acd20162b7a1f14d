import type { Deps } from '../../deps.js';
import type { Written } from '../../domain/memory/memory.js';
import { deletionOf, eventBody, eventOf, type OutboundEvent } from '../../domain/outbound/event.js';
import { listensTo } from '../../domain/outbound/webhook.js';
import type { UnitOfWork } from '../../ports/store.js';

/**
 * Leaves, in the unit that wrote a memory, a delivery for each webhook that
 * wants to know, and the job that sends it: told if and only if written
 * (section 6.2).
 *
 * @param written without an outcome, a deletion
 */
export async function announce(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  written: Pick<Written, 'memory'> & Partial<Written>,
): Promise<void> {
  const event = toEvent(deps, written);
  if (!event) return;
  const listening = (await unit.outbound.webhooks()).filter((webhook) => listensTo(webhook, event.name));
  if (listening.length === 0) return;

  const body = eventBody(event);
  for (const webhook of listening) {
    const deliveryId = deps.newId();
    await unit.outbound.insertDelivery({
      id: deliveryId,
      webhookId: webhook.id,
      event: event.name,
      memoryId: event.memory.id,
      body,
      status: 'pending',
      attempts: 0,
      createdAt: deps.now(),
    });
    await unit.enqueue({ name: 'deliver-outbound', data: { organizationId: unit.organizationId, deliveryId } });
  }
}

function toEvent(
  { now }: Pick<Deps, 'now'>,
  { memory, outcome, ...rest }: Pick<Written, 'memory'> & Partial<Written>,
): OutboundEvent | undefined {
  return outcome === undefined ? deletionOf(memory) : eventOf({ memory, outcome, ...rest }, now());
}
