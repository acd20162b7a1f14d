import type { Deps } from '../../deps.js';
import { answerExcerpt } from '../../domain/outbound/answer-excerpt.js';
import { nextAttemptDelayMs, parseRetryAfter } from '../../domain/outbound/attempt-delay.js';
import { type DeliveryAttempt, type OutboundDelivery, withAttempt } from '../../domain/outbound/delivery.js';
import { TEST_EVENT } from '../../domain/outbound/event.js';
import { requestHeaders, secondsOf } from '../../domain/outbound/request-headers.js';
import { signBody, signMessage } from '../../domain/outbound/signature.js';
import { type OutboundWebhook, outboundSecretPlace, switched } from '../../domain/outbound/webhook.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { secretsInForce } from '../../domain/webhook-secrets.js';
import type { Sent } from '../../ports/http-sender.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';

const GONE = 410;
const HOUR_US = 60 * 60 * 1_000_000;
const RETENTION_US = 30 * 24 * HOUR_US;
/** How much older than the retention the oldest delivery gets before one unit of work deletes many. */
const DELETION_DELAY_US = HOUR_US;
/** Old deliveries that a unit of work deletes. */
const MAX_OLD_DELETED = 100;

export type DeliverDeps = Pick<Deps, 'store' | 'now' | 'random' | 'secretBox' | 'httpSender' | 'metrics'>;

interface Place {
  organizationId: string;
  deliveryId: string;
}

/** When to attempt again; undefined if no attempt follows. */
export type Verdict = { deferMs: number } | undefined;

/**
 * Makes one attempt to send an event, if it is due, and stores the result (section 6.2). Each attempt runs at least
 * once: if the process ends before the result is stored, the attempt is repeated under the same delivery id.
 */
export async function deliverOutbound(deps: DeliverDeps, place: Place): Promise<Verdict> {
  const { organizationId, deliveryId } = place;
  const delivery = await deps.store.outbound.findDelivery(organizationId, deliveryId);
  if (delivery?.status !== 'pending') return undefined;
  const earlyMs = Math.ceil(((delivery.nextAttemptAt ?? 0) - deps.now()) / 1_000);
  if (earlyMs > 0) return { deferMs: earlyMs };

  const webhook = await deps.store.outbound.findWebhook(organizationId, delivery.webhookId);
  if (!webhook) return undefined;
  if (!webhook.enabled && delivery.event !== TEST_EVENT) return endDelivery(deps, place, 'disabled');

  const startedAt = deps.now();
  const sent = await send(deps, organizationId, webhook, delivery, startedAt);
  return settle(deps, place, delivery, { url: webhook.url, sent, startedAt });
}

/** Ends a delivery without another attempt. */
export async function endDelivery(
  deps: Pick<DeliverDeps, 'store' | 'now' | 'metrics'>,
  { organizationId, deliveryId }: Place,
  failure: 'disabled' | 'internal',
): Promise<undefined> {
  const found = await deps.store.outbound.findDelivery(organizationId, deliveryId);
  const ended = await storeAttempt(deps, { organizationId, deliveryId }, found, (delivery) =>
    closed(delivery, 'failed', { at: deps.now(), failure }),
  );
  if (ended) deps.metrics.outboundDelivery('failed');
  return undefined;
}

function send(
  deps: DeliverDeps,
  organizationId: string,
  webhook: OutboundWebhook,
  delivery: OutboundDelivery,
  startedAt: Microseconds,
): Promise<Sent> {
  const { id, body } = delivery;
  const [secret, ...others] = secretsOf(deps, organizationId, webhook);
  const timestamp = secondsOf(startedAt);
  const signature = signBody(secret, body);
  const signatures = signMessage([secret, ...others], id, timestamp, body);
  return deps.httpSender.post({
    tenant: organizationId,
    url: webhook.url,
    headers: requestHeaders(delivery, { signature, timestamp, signatures }),
    body,
  });
}

/** Returns the secrets that sign, the current one first. */
function secretsOf(
  { secretBox, now }: Pick<DeliverDeps, 'secretBox' | 'now'>,
  organizationId: string,
  webhook: OutboundWebhook,
): [string, ...string[]] {
  const open = (sealed: string) => secretBox.open(sealed, outboundSecretPlace(organizationId, webhook.id));
  const [current, ...others] = secretsInForce(webhook, now());
  return [open(current), ...others.map(open)];
}

async function settle(
  deps: DeliverDeps,
  place: Place,
  attempted: OutboundDelivery,
  { url, sent, startedAt }: { url: string; sent: Sent; startedAt: Microseconds },
): Promise<Verdict> {
  const now = deps.now();
  const durationMs = Math.max(0, now - startedAt) / 1_000;
  const random = deps.random();
  const settledFrom = (delivery: OutboundDelivery) => afterAttempt(delivery, sent, { at: now, durationMs }, random);
  const next =
    'status' in sent && sent.status === GONE
      ? await endAndDisable(deps, place, { url, now, settledFrom })
      : await storeAttempt(deps, place, attempted, settledFrom);
  if (!next) return undefined;
  deps.metrics.outboundDelivery(next.status === 'pending' ? 'retried' : next.status);
  if (next.nextAttemptAt !== undefined) return { deferMs: Math.ceil((next.nextAttemptAt - now) / 1_000) };
  await deleteOld(deps, place.organizationId, now);
  return undefined;
}

/**
 * Stores the result of an attempt. Another attempt of the same delivery may have ended meanwhile, if a job lost its
 * lock. Then the result is added to that of the other one, unless the delivery has ended.
 *
 * @param found the delivery as it was read
 * @returns undefined if nothing was stored
 */
async function storeAttempt(
  { store }: Pick<DeliverDeps, 'store'>,
  { organizationId, deliveryId }: Place,
  found: OutboundDelivery | undefined,
  settledFrom: (delivery: OutboundDelivery) => OutboundDelivery,
): Promise<OutboundDelivery | undefined> {
  let delivery = found;
  while (delivery?.status === 'pending') {
    const settled = settledFrom(delivery);
    if (await store.outbound.storeAttempt(organizationId, delivery, settled)) return settled;
    delivery = await store.outbound.findDelivery(organizationId, deliveryId);
  }
  return undefined;
}

/** Stores an attempt that the endpoint answered with 410, and disables the webhook: both or none. */
async function endAndDisable(
  { store }: Pick<DeliverDeps, 'store'>,
  { organizationId, deliveryId }: Place,
  made: { url: string; now: Microseconds; settledFrom: (delivery: OutboundDelivery) => OutboundDelivery },
): Promise<OutboundDelivery | undefined> {
  return store.transact(organizationId, async (unit) => {
    const delivery = await unit.outbound.findDelivery(deliveryId);
    if (delivery?.status !== 'pending') return undefined;
    const settled = made.settledFrom(delivery);
    await unit.outbound.updateDelivery(settled);
    await disable(unit, delivery.webhookId, made.url, made.now);
    return settled;
  });
}

/**
 * Deletes deliveries beyond the retention. It needs a unit of work, since deliveries share bodies, so it waits until
 * the oldest has been due for an hour, and then deletes many.
 */
async function deleteOld({ store }: Pick<DeliverDeps, 'store'>, organizationId: string, now: number): Promise<void> {
  const before = now - RETENTION_US;
  const oldest = await store.outbound.oldestEnded(organizationId);
  if (oldest === undefined || oldest >= before - DELETION_DELAY_US) return;
  await store.transact(organizationId, (unit) => unit.outbound.deleteDeliveries(before, MAX_OLD_DELETED));
}

/** Returns a delivery after an attempt: delivered, failed for good, or pending with the time of the next attempt. */
function afterAttempt(
  delivery: OutboundDelivery,
  sent: Sent,
  made: Pick<DeliveryAttempt, 'at' | 'durationMs'>,
  random: number,
): OutboundDelivery {
  const { at: now } = made;
  const attempts = delivery.attempts + 1;
  const attempt: DeliveryAttempt = { ...made, ...resultOf(sent) };
  const counted = { ...delivery, attempts };
  if ('status' in sent && sent.status >= 200 && sent.status < 300) return closed(counted, 'delivered', attempt);
  if ('status' in sent && sent.status === GONE) return closed(counted, 'failed', attempt);

  const retryAfterMs = 'status' in sent ? parseRetryAfter(sent.retryAfter, now / 1_000) : undefined;
  // An owner waits for the result of a test event, and can send another one.
  const delayMs = delivery.event === TEST_EVENT ? undefined : nextAttemptDelayMs(attempts, retryAfterMs, random);
  if (delayMs === undefined) return closed(counted, 'failed', attempt);
  return { ...withAttempt(counted, attempt), nextAttemptAt: now + delayMs * 1_000 };
}

function resultOf(sent: Sent): Pick<DeliveryAttempt, 'status' | 'failure' | 'answer'> {
  if ('failure' in sent) return { failure: sent.failure };
  const answer = sent.answer && answerExcerpt(sent.answer);
  return { status: sent.status, ...(answer !== undefined && { answer }) };
}

function closed(
  { nextAttemptAt: _, ...delivery }: OutboundDelivery,
  status: 'delivered' | 'failed',
  attempt: DeliveryAttempt,
): OutboundDelivery {
  return { ...withAttempt(delivery, attempt), status };
}

/**
 * Disables a webhook whose endpoint answered 410, until an owner enables it again. Does nothing if an owner changed
 * the URL since the attempt began.
 */
async function disable(unit: UnitOfWork, webhookId: string, url: string, now: number): Promise<void> {
  const webhook = (await unit.outbound.webhooks()).find(({ id }) => id === webhookId);
  if (!webhook?.enabled || webhook.url !== url) return;
  await unit.outbound.updateWebhook({ ...switched(webhook, { at: now, reason: 'gone' }), updatedAt: now });
}
