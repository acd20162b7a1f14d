import type { Endpoint } from '../../world/endpoints.js';
import type { Target } from '../../world/target.js';

export const OUTBOUND_WEBHOOKS = '/api/organization/outbound-webhooks';

export interface Delivery {
  id: string;
  memoryId: string;
  status: string;
  attempts: number;
  nextAttemptAt?: string;
  lastAttempt?: { at: string; status?: number };
}

/** Waits until the log of the endpoint has a matching delivery about a memory, and returns it. */
export async function logged(
  target: Target,
  { id }: Endpoint,
  memoryId: string,
  isAwaited: (delivery: Delivery) => boolean,
): Promise<Delivery> {
  return target.eventually(async () => {
    const delivery = await findLogged(target, id, memoryId);
    return delivery && isAwaited(delivery) ? delivery : undefined;
  }, `the delivery about ${memoryId} in the log`);
}

/** Searches the whole log, newest first: the endpoint also gets the events of others. */
async function findLogged(target: Target, webhookId: string, memoryId: string): Promise<Delivery | undefined> {
  let cursor: unknown;
  do {
    const query = { limit: target.largestPage, cursor };
    const { body } = await target.send('GET', `${OUTBOUND_WEBHOOKS}/${webhookId}/deliveries`, undefined, { query });
    const found = ((body.outboundDeliveries ?? []) as Delivery[]).find((delivery) => delivery.memoryId === memoryId);
    if (found) return found;
    cursor = body.nextCursor;
  } while (typeof cursor === 'string');
  return undefined;
}
