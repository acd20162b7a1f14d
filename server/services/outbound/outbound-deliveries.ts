import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { ListedDelivery, OutboundDelivery } from '../../domain/outbound/delivery.js';
import { TEST_EVENT, testEventBody } from '../../domain/outbound/event.js';
import { byCreation, type Page, pageOf, withOneMore } from '../../domain/page.js';
import { ConflictError, NotFoundError } from '../../errors.js';
import type { DeliveryQuery, NewDelivery, RestartQuery } from '../../ports/outbound-store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import { recordAudit } from '../audit/record-audit.js';
import { getOutboundWebhook, requireWebhook } from './outbound-webhooks.js';

/** Failed deliveries that one request sends again. */
const MAX_REDELIVERED = 100;

/**
 * Returns a page of the deliveries of a webhook, newest first.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids of webhooks
 */
export async function listOutboundDeliveries(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  query: DeliveryQuery,
): Promise<Page<ListedDelivery>> {
  await getOutboundWebhook(deps, caller, query.webhookId);
  const found = await deps.store.outbound.listDeliveries(caller.organizationId, withOneMore(query));
  return pageOf(found, query.limit, byCreation);
}

/**
 * Returns a delivery with its body and its attempts.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 */
export async function getOutboundDelivery(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  webhookId: string,
  deliveryId: string,
): Promise<OutboundDelivery> {
  await getOutboundWebhook(deps, caller, webhookId);
  const delivery = await deps.store.outbound.findDelivery(caller.organizationId, deliveryId);
  if (delivery?.webhookId !== webhookId) throw new NotFoundError();
  return delivery;
}

/**
 * Sends a delivery again, under the same id and with the same body, with as many attempts as a new one.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 * @throws {ConflictError} `delivery_pending` if it is being sent, `webhook_disabled` if its webhook is disabled
 */
export async function redeliver(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  webhookId: string,
  deliveryId: string,
): Promise<OutboundDelivery> {
  await assertOwner(deps, caller);
  return transactAsOwner(deps, caller, async (unit) => {
    const webhook = await requireWebhook(unit, webhookId);
    const found = await unit.outbound.findDelivery(deliveryId);
    if (found?.webhookId !== webhookId) throw new NotFoundError();
    if (found.status === 'pending') {
      throw new ConflictError('delivery_pending', 'This delivery is still being sent: wait until it has ended');
    }
    if (!webhook.enabled) throw disabled();
    const { nextAttemptAt: _, ...rest } = found;
    const delivery: OutboundDelivery = { ...rest, status: 'pending', attempts: 0 };
    await unit.outbound.updateDelivery(delivery);
    await enqueueDelivery(unit, webhookId, deliveryId);
    await recordAudit(deps, unit, caller, { action: 'outbound_webhook.redeliver', metadata: { targetId: webhookId } });
    return delivery;
  });
}

/**
 * Sends the failed deliveries since a time again, oldest first, except test events. They are pending afterwards, so a
 * repeated call does not send them twice.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 * @throws {ConflictError} `webhook_disabled`
 */
export async function redeliverFailed(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  { webhookId, since }: Omit<RestartQuery, 'limit'>,
): Promise<{ redelivered: number; hasMore: boolean }> {
  await assertOwner(deps, caller);
  return transactAsOwner(deps, caller, async (unit) => {
    const { enabled } = await requireWebhook(unit, webhookId);
    if (!enabled) throw disabled();
    const { ids, isMore } = await unit.outbound.restartFailed({ webhookId, since, limit: MAX_REDELIVERED });
    for (const id of ids) await enqueueDelivery(unit, webhookId, id);
    if (ids.length > 0) {
      const metadata = { targetId: webhookId, ok: ids.length };
      await recordAudit(deps, unit, caller, { action: 'outbound_webhook.redeliver', metadata });
    }
    return { redelivered: ids.length, hasMore: isMore };
  });
}

/**
 * Sends a test event to an endpoint, also while its webhook is disabled, so that an owner can test before enabling it.
 * A test event has one attempt.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 */
export async function sendTestEvent(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  webhookId: string,
): Promise<ListedDelivery> {
  await assertOwner(deps, caller);
  return transactAsOwner(deps, caller, async (unit) => {
    await requireWebhook(unit, webhookId);
    const id = deps.newId();
    const createdAt = deps.now();
    const delivery: NewDelivery = { id, webhookId, event: TEST_EVENT, status: 'pending', attempts: 0, createdAt };
    await unit.outbound.insertDeliveries(testEventBody(webhookId, createdAt), [delivery]);
    await enqueueDelivery(unit, webhookId, id);
    await recordAudit(deps, unit, caller, { action: 'outbound_webhook.test', metadata: { targetId: webhookId } });
    return delivery;
  });
}

async function enqueueDelivery(unit: UnitOfWork, webhookId: string, deliveryId: string): Promise<void> {
  const data = { organizationId: unit.organizationId, webhookId, deliveryId };
  await unit.enqueue({ name: 'deliver-outbound', data });
}

function disabled(): ConflictError {
  return new ConflictError('webhook_disabled', 'This webhook is disabled: enable it first');
}
