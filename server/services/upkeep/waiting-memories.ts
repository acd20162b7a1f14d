import type { Deps } from '../../deps.js';
import { type InboundDelivery, memoriesPlace } from '../../domain/inbound/inbound-delivery.js';
import type { MappedMemory } from '../../domain/inbound/mapped-event.js';
import { byCreation } from '../../domain/page.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { entries } from './entries.js';

/**
 * Removes the memories that match from queued deliveries. A delivery without memories left still ends as processed.
 *
 * @param note called, in the unit of the removal, with the number of memories removed from a delivery
 */
export async function removeWaitingMemories(
  { store, secretBox }: Pick<Deps, 'store' | 'secretBox'>,
  organizationId: string,
  matches: (memory: MappedMemory) => boolean,
  note: (unit: UnitOfWork, removed: number) => Promise<void>,
): Promise<void> {
  for await (const { key } of waitingDeliveries(store, organizationId)) {
    const sealed = (await store.inbound.findDelivery(organizationId, key))?.sealedMemories;
    if (sealed === undefined) continue;
    const place = memoriesPlace({ organizationId, key });
    const memories = JSON.parse(secretBox.open(sealed, place)) as MappedMemory[];
    const rest = memories.filter((memory) => !matches(memory));
    if (rest.length === memories.length) continue;
    const next = secretBox.seal(JSON.stringify(rest), place);
    await store.transact(organizationId, async (unit) => {
      const isExchanged = await unit.inbound.rewrapDelivery(key, sealed, next);
      if (isExchanged) await note(unit, memories.length - rest.length);
    });
  }
}

async function* waitingDeliveries({ inbound }: Deps['store'], organizationId: string): AsyncGenerator<InboundDelivery> {
  const webhooks = entries((page) => inbound.listWebhooks(organizationId, page), byCreation);
  for await (const { id } of webhooks) {
    const deliveries = entries(
      (page) => inbound.listDeliveries(organizationId, id, page),
      ({ receivedAt, key }) => ({ at: receivedAt, id: key }),
    );
    for await (const delivery of deliveries) if (delivery.state === 'queued') yield delivery;
  }
}
