import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { invalid } from '../../domain/invalid.js';
import { parseEndpointUrl } from '../../domain/outbound/endpoint-url.js';
import type { OutboundEventName } from '../../domain/outbound/event.js';
import { createWebhookSecret } from '../../domain/outbound/signature.js';
import { type OutboundWebhook, outboundSecretPlace, switched } from '../../domain/outbound/webhook.js';
import { byCreation, type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import { withNewSecret } from '../../domain/webhook-secrets.js';
import { ConflictError, NotFoundError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import { recordAudit } from '../audit/record-audit.js';

const MAX_WEBHOOKS = 20;

export type OutboundWebhookDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'secretBox' | 'endpointRules'>;

export interface OutboundWebhookInput {
  url: string;
  events: readonly OutboundEventName[];
  description?: string | undefined;
}

export interface OutboundWebhookChange extends Partial<OutboundWebhookInput> {
  /** If false, no events are sent. */
  enabled?: boolean | undefined;
}

/** A webhook with its secret, which is shown only this once. */
export interface ShownWebhook {
  webhook: OutboundWebhook;
  secret: string;
}

/**
 * Registers an endpoint (section 6.2).
 *
 * @throws {UnprocessableError} for a URL that the service must not send to
 * @throws {ConflictError} `webhook_limit_reached`
 */
export async function createOutboundWebhook(
  deps: OutboundWebhookDeps,
  caller: Caller,
  { url, events, description = '' }: OutboundWebhookInput,
): Promise<ShownWebhook> {
  await assertOwner(deps, caller);
  const id = deps.newId();
  const secret = createWebhookSecret();
  const now = deps.now();
  const webhook: OutboundWebhook = {
    id,
    url: parseEndpointUrl(url, deps.endpointRules),
    events,
    description,
    enabled: true,
    sealedSecret: deps.secretBox.seal(secret, outboundSecretPlace(caller.organizationId, id)),
    createdAt: now,
    updatedAt: now,
  };
  await transactAsOwner(deps, caller, async (unit) => {
    if ((await unit.outbound.webhooks()).length >= MAX_WEBHOOKS) {
      throw new ConflictError(
        'webhook_limit_reached',
        `An organization has at most ${MAX_WEBHOOKS} outbound webhooks: delete one first`,
      );
    }
    await unit.outbound.insertWebhook(webhook);
    await recordAudit(deps, unit, caller, { action: 'outbound_webhook.create', metadata: { targetId: id } });
  });
  return { webhook, secret };
}

/** Returns a page of the organization's outbound webhooks, oldest first. */
export async function listOutboundWebhooks(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  page: PageQuery,
): Promise<Page<OutboundWebhook>> {
  await assertOwner(deps, caller);
  const found = await deps.store.outbound.listWebhooks(caller.organizationId, withOneMore(page));
  return pageOf(found, page.limit, byCreation);
}

/** @throws {NotFoundError} for unknown, foreign and malformed ids */
export async function getOutboundWebhook(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  webhookId: string,
): Promise<OutboundWebhook> {
  await assertOwner(deps, caller);
  const webhook = await deps.store.outbound.findWebhook(caller.organizationId, webhookId);
  if (!webhook) throw new NotFoundError();
  return webhook;
}

/**
 * Changes the given fields of a webhook.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 * @throws {UnprocessableError} for a URL that the service must not send to, and if no field is given
 */
export async function updateOutboundWebhook(
  deps: OutboundWebhookDeps,
  caller: Caller,
  webhookId: string,
  { url, enabled, ...rest }: OutboundWebhookChange,
): Promise<OutboundWebhook> {
  await assertOwner(deps, caller);
  const checked = { ...rest, ...(url !== undefined && { url: parseEndpointUrl(url, deps.endpointRules) }) };
  if (enabled === undefined && Object.keys(checked).length === 0) {
    throw invalid('url', 'or another field is required: nothing would change');
  }
  return changeWebhook(deps, caller, webhookId, (current) => {
    const next = { ...withState(current, enabled, deps.now()), ...checked, updatedAt: deps.now() };
    return { next, action: 'outbound_webhook.update', changed: changedNames(current, next) };
  });
}

/**
 * Creates a new secret for a webhook. The former one also signs for 24 hours, so that receivers can change over
 * without a gap.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 */
export async function rotateOutboundWebhookSecret(
  deps: OutboundWebhookDeps,
  caller: Caller,
  webhookId: string,
): Promise<ShownWebhook> {
  await assertOwner(deps, caller);
  const secret = createWebhookSecret();
  const sealed = deps.secretBox.seal(secret, outboundSecretPlace(caller.organizationId, webhookId));
  const webhook = await changeWebhook(deps, caller, webhookId, (current) => {
    const now = deps.now();
    const next = { ...withNewSecret(current, sealed, now), updatedAt: now };
    return { next, action: 'outbound_webhook.rotate_secret' };
  });
  return { webhook, secret };
}

/**
 * Deletes a webhook with its log. Pending deliveries are not sent.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 */
export async function deleteOutboundWebhook(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  webhookId: string,
): Promise<void> {
  await assertOwner(deps, caller);
  await transactAsOwner(deps, caller, async (unit) => {
    await requireWebhook(unit, webhookId);
    await unit.outbound.deleteWebhook(webhookId);
    await recordAudit(deps, unit, caller, { action: 'outbound_webhook.delete', metadata: { targetId: webhookId } });
  });
}

export async function requireWebhook(unit: UnitOfWork, webhookId: string): Promise<OutboundWebhook> {
  const webhook = (await unit.outbound.webhooks()).find(({ id }) => id === webhookId);
  if (!webhook) throw new NotFoundError();
  return webhook;
}

interface WebhookUpdate {
  next: OutboundWebhook;
  action: 'outbound_webhook.update' | 'outbound_webhook.rotate_secret';
  changed?: string[];
}

async function changeWebhook(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  webhookId: string,
  change: (current: OutboundWebhook) => WebhookUpdate,
): Promise<OutboundWebhook> {
  return transactAsOwner(deps, caller, async (unit) => {
    const { next, action, changed } = change(await requireWebhook(unit, webhookId));
    await unit.outbound.updateWebhook(next);
    await recordAudit(deps, unit, caller, { action, metadata: { targetId: webhookId, ...(changed && { changed }) } });
    return next;
  });
}

/** Enables or disables a webhook. Enabling clears the reason; disabling a disabled one keeps it. */
function withState(webhook: OutboundWebhook, enabled: boolean | undefined, now: number): OutboundWebhook {
  if (enabled === undefined || enabled === webhook.enabled) return webhook;
  return enabled ? switched(webhook) : switched(webhook, { at: now, reason: 'owner' });
}

function changedNames(before: OutboundWebhook, after: OutboundWebhook): string[] {
  const names: string[] = (['url', 'description'] as const).filter((name) => before[name] !== after[name]);
  if (before.events.join() !== after.events.join()) names.push('events');
  if (before.enabled !== after.enabled) names.push('enabled');
  return names;
}
