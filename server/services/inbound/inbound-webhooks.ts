import { randomBytes } from 'node:crypto';
import type { Deps } from '../../deps.js';
import type { AuditAction } from '../../domain/account/audit-event.js';
import type { Caller } from '../../domain/account/caller.js';
import type { InboundDelivery } from '../../domain/inbound/inbound-delivery.js';
import {
  INBOUND_EVENTS,
  type InboundEvent,
  type InboundKind,
  type InboundWebhook,
  inboundSecretPlace,
} from '../../domain/inbound/inbound-webhook.js';
import { invalid } from '../../domain/invalid.js';
import { byCreation, type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import { withNewSecret } from '../../domain/webhook-secrets.js';
import { ConflictError, NotFoundError, UnprocessableError } from '../../errors.js';
import type { InboundDeliveryQuery } from '../../ports/inbound-store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import { recordAudit } from '../audit/record-audit.js';

const MAX_WEBHOOKS = 50;
const SECRET_BYTES = 32;

type WebhookDeps = Pick<Deps, 'store' | 'secretBox' | 'now' | 'newId'>;

/** A webhook with its secret, which cannot be read again. */
export interface ShownWebhook {
  webhook: InboundWebhook;
  secret: string;
}

export interface WebhookInput {
  kind: InboundKind;
  name: string;
  /** Defaults to all events of the kind. */
  events?: readonly InboundEvent[] | undefined;
  /** Secret of a sender that creates its own. If unset, a new one is created. */
  secret?: string | undefined;
}

export interface WebhookChanges {
  name?: string | undefined;
  events?: readonly InboundEvent[] | undefined;
  enabled?: boolean | undefined;
  secret?: string | undefined;
}

/**
 * Registers a sender (section 2.4).
 *
 * @throws {UnprocessableError} for events of the other kind
 * @throws {ConflictError} `webhook_limit_reached`
 */
export async function createInboundWebhook(
  deps: WebhookDeps,
  caller: Caller,
  { kind, name, events = INBOUND_EVENTS[kind], secret = newSecret() }: WebhookInput,
): Promise<ShownWebhook> {
  await assertOwner(deps, caller);
  assertEvents(kind, events);
  const id = deps.newId();
  const { organizationId } = caller;
  const createdAt = deps.now();
  const sealedSecret = deps.secretBox.seal(secret, inboundSecretPlace(organizationId, id));
  const webhook = {
    id,
    organizationId,
    kind,
    name,
    events,
    enabled: true,
    sealedSecret,
    createdAt,
    updatedAt: createdAt,
  };
  await transactAsOwner(deps, caller, async (unit) => {
    if ((await unit.inbound.countWebhooks()) >= MAX_WEBHOOKS) throw limitReached();
    await unit.inbound.insertWebhook(webhook);
    await record(deps, unit, caller, 'inbound_webhook.create', id);
  });
  return { webhook, secret };
}

/** Returns a page of the organization's senders. */
export async function listInboundWebhooks(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  page: PageQuery,
): Promise<Page<InboundWebhook>> {
  await assertOwner(deps, caller);
  const found = await deps.store.inbound.listWebhooks(caller.organizationId, withOneMore(page));
  return pageOf(found, page.limit, byCreation);
}

/**
 * Returns a sender of the organization.
 *
 * @throws {NotFoundError} for an unknown, foreign or malformed id
 */
export async function getInboundWebhook(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  webhookId: string,
): Promise<InboundWebhook> {
  await assertOwner(deps, caller);
  const webhook = await deps.store.inbound.findWebhook(webhookId);
  if (webhook?.organizationId !== caller.organizationId) throw new NotFoundError();
  return webhook;
}

/**
 * Changes the given fields of a sender.
 *
 * @throws {UnprocessableError} if no field is given, or for events of the other kind
 */
export async function updateInboundWebhook(
  deps: WebhookDeps,
  caller: Caller,
  webhookId: string,
  { secret, ...changes }: WebhookChanges,
): Promise<InboundWebhook> {
  await assertOwner(deps, caller);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (given.length === 0 && secret === undefined) {
    throw new UnprocessableError('Give at least one of name, events, enabled and secret');
  }
  return transactAsOwner(deps, caller, async (unit) => {
    const current = await findOwn(unit, webhookId);
    assertEvents(current.kind, changes.events ?? []);
    const changed = { ...current, ...Object.fromEntries(given), updatedAt: deps.now() };
    const webhook = secret === undefined ? changed : withSecret(deps, changed, secret);
    await unit.inbound.updateWebhook(webhook);
    const names = [...given.map(([name]) => name), ...(secret === undefined ? [] : ['secret'])];
    await record(deps, unit, caller, 'inbound_webhook.update', webhookId, names);
    return webhook;
  });
}

/** Creates a new secret for a sender. The former one stays valid for a day. */
export async function rotateInboundWebhookSecret(
  deps: WebhookDeps,
  caller: Caller,
  webhookId: string,
): Promise<ShownWebhook> {
  await assertOwner(deps, caller);
  const secret = newSecret();
  const webhook = await transactAsOwner(deps, caller, async (unit) => {
    const current = await findOwn(unit, webhookId);
    const rotated = withSecret(deps, { ...current, updatedAt: deps.now() }, secret);
    await unit.inbound.updateWebhook(rotated);
    await record(deps, unit, caller, 'inbound_webhook.rotate_secret', webhookId);
    return rotated;
  });
  return { webhook, secret };
}

/** Deletes a sender and the log of its deliveries. */
export async function deleteInboundWebhook(deps: WebhookDeps, caller: Caller, webhookId: string): Promise<void> {
  await assertOwner(deps, caller);
  await transactAsOwner(deps, caller, async (unit) => {
    await findOwn(unit, webhookId);
    await unit.inbound.deleteWebhook(webhookId);
    await record(deps, unit, caller, 'inbound_webhook.delete', webhookId);
  });
}

/** Returns a page of the deliveries of a sender, newest first. */
export async function listInboundDeliveries(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  webhookId: string,
  query: InboundDeliveryQuery,
): Promise<Page<InboundDelivery>> {
  await getInboundWebhook(deps, caller, webhookId);
  const found = await deps.store.inbound.listDeliveries(caller.organizationId, webhookId, withOneMore(query));
  return pageOf(found, query.limit, ({ receivedAt, key }) => ({ at: receivedAt, id: key }));
}

function withSecret({ secretBox, now }: WebhookDeps, webhook: InboundWebhook, secret: string): InboundWebhook {
  const sealed = secretBox.seal(secret, inboundSecretPlace(webhook.organizationId, webhook.id));
  return withNewSecret(webhook, sealed, now());
}

async function findOwn(unit: UnitOfWork, webhookId: string): Promise<InboundWebhook> {
  const webhook = await unit.inbound.findWebhook(webhookId);
  if (!webhook) throw new NotFoundError();
  return webhook;
}

function assertEvents(kind: InboundKind, events: readonly InboundEvent[]): void {
  const known = INBOUND_EVENTS[kind];
  if (events.some((event) => !known.includes(event))) {
    throw invalid('events', `must be among ${known.join(' and ')}, the events of a ${kind}`);
  }
}

async function record(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  caller: Caller,
  action: AuditAction,
  webhookId: string,
  changed?: string[],
): Promise<void> {
  await recordAudit(deps, unit, caller, { action, metadata: { targetId: webhookId, ...(changed && { changed }) } });
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

function limitReached(): ConflictError {
  return new ConflictError(
    'webhook_limit_reached',
    `An organization has at most ${MAX_WEBHOOKS} inbound webhooks: delete one first`,
  );
}
