import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import type { OutboundDelivery } from '../domain/outbound/delivery.js';
import { EndpointSlots } from '../domain/outbound/slots.js';
import { deliverOutbound } from '../services/deliver-outbound.js';
import { ingest } from '../services/ingest.js';
import { createOutboundWebhook, updateOutboundWebhook } from '../services/outbound-webhooks.js';
import { testWorld } from './test-deps.js';

/** A webhook for new memories, and one event on its way to it. */
export async function sendingWorld(
  overrides: Partial<Pick<Deps, 'httpSender' | 'random'>>,
  url = 'https://example.com/hook',
) {
  const clock = { now: 1_772_442_000_000_000 };
  const { deps, caller } = await testWorld({ ...overrides, now: () => clock.now });
  const { webhook } = await createOutboundWebhook(deps, caller, { url, events: ['memory.ingested'] });
  const { organizationId } = caller;
  const find = async (id: string | undefined) => deps.store.outbound.findDelivery(organizationId, id ?? '');

  /** Writes a memory and tells which delivery came of it, if one did. */
  const write = async (content: string): Promise<string | undefined> => {
    clock.now += 1;
    const before = new Set((await allDeliveries(deps, caller)).map(({ id }) => id));
    await ingest(deps, caller, { content });
    return (await allDeliveries(deps, caller)).find(({ id }) => !before.has(id))?.id;
  };
  const first = (await write('first'))!;
  const attempt = (deliveryId = first, through: Deps = deps, slots = new EndpointSlots(() => 0)) =>
    deliverOutbound(through, slots, { organizationId, deliveryId });

  return {
    deps,
    caller,
    clock,
    first,
    find,
    write,
    attempt,
    webhook: () => deps.store.outbound.findWebhook(organizationId, webhook.id),
    update: (change: Parameters<typeof updateOutboundWebhook>[3]) =>
      updateOutboundWebhook(deps, caller, webhook.id, change),
    remove: () => deps.store.transact(organizationId, (unit) => unit.outbound.deleteWebhook(webhook.id)),

    /** Makes attempts, each when the one before said, until there is none to make. */
    async deliver(): Promise<{ pauses: number[]; delivery: OutboundDelivery }> {
      const pauses: number[] = [];
      for (let next = await attempt(); next !== undefined; next = await attempt()) {
        pauses.push(next.deferMs);
        clock.now += next.deferMs * 1_000;
      }
      return { pauses, delivery: (await find(first))! };
    },
  };
}

async function allDeliveries({ store }: Deps, { organizationId }: Caller): Promise<OutboundDelivery[]> {
  const webhooks = await store.outbound.listWebhooks(organizationId, { limit: 99 });
  const pages = webhooks.map(({ id }) => store.outbound.listDeliveries(organizationId, { webhookId: id, limit: 99 }));
  return (await Promise.all(pages)).flat();
}
