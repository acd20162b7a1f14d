import { createHash } from 'node:crypto';
import type { Deps } from '../../deps.js';
import type { Origin } from '../../domain/account/caller.js';
import { mapCodeHostEvent } from '../../domain/inbound/code-host-event.js';
import { DELIVERIES_KEPT_US, type InboundDelivery, memoriesPlace } from '../../domain/inbound/inbound-delivery.js';
import { type InboundKind, type InboundWebhook, inboundSecretPlace } from '../../domain/inbound/inbound-webhook.js';
import type { MappedEvent } from '../../domain/inbound/mapped-event.js';
import { isSignedBy, NO_SECRET } from '../../domain/inbound/signature.js';
import { isRecentTrackerEvent, mapTrackerEvent } from '../../domain/inbound/tracker-event.js';
import { invalid } from '../../domain/invalid.js';
import { secretsInForce } from '../../domain/webhook-secrets.js';
import { InvalidSignatureError, UnavailableError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';

/** Deliveries of one webhook that may be queued. Its sender keeps further ones and can send them again. */
const MAX_QUEUED = 10_000;
const RETRY_AFTER_SECONDS = 60;
/** Old deliveries that each new delivery deletes: more than one, so that old ones do not pile up. */
const MAX_OLD_DELETED = 20;
const MAX_ID_LENGTH = 256;

export type ReceiveDeps = Pick<Deps, 'store' | 'secretBox' | 'now' | 'newId' | 'limits' | 'inboundRefusals'>;

/** A request of a sender, before any check. */
export interface ReceivedRequest {
  kind: InboundKind;
  webhookId: string;
  /** The unparsed bytes. */
  body: Buffer;
  /** Throws the error to answer if the body cannot be parsed. */
  parse: (body: Buffer) => unknown;
  signature: string | undefined;
  /** Name of the event in the headers. A tracker names it in the body. */
  event: string | undefined;
  deliveryId: string | undefined;
  origin: Origin;
}

/** The answer: queued to be ingested, a duplicate, or ignored since there is nothing to store. */
export type Receipt = 'queued' | 'duplicate' | 'ignored';

/**
 * Stores a delivery of a sender (section 4.14). The delivery and the job that ingests it are durable when the promise
 * resolves. If it is sent again within 30 days, under its id or with its body, it is a duplicate, unless it failed.
 *
 * @throws {InvalidSignatureError} the same for a wrong signature, a webhook that is unknown, disabled or of another
 *   kind, and a tracker's event that was signed too long ago
 * @throws {BadRequestError} for a body that is not JSON
 * @throws {UnprocessableError} if the event has no name
 * @throws {UnavailableError} if too many deliveries of the webhook are queued
 */
export async function receiveDelivery(deps: ReceiveDeps, request: ReceivedRequest): Promise<Receipt> {
  const webhook = await authenticSender(deps, request);
  const { payload, event, givenId } = readRequest(deps, webhook, request);
  const bodyHash = createHash('sha256').update(request.body).digest('hex');
  const deliveryId = givenId ?? `sha256:${bodyHash}`;
  const context = { deliveryId, contentLength: deps.limits.contentLength };
  const mapped = webhook.events.some((each) => each === event) ? map(webhook.kind, event, payload, context) : undefined;
  const delivery: InboundDelivery = {
    key: deps.newId(),
    organizationId: webhook.organizationId,
    webhookId: webhook.id,
    deliveryId,
    bodyHash,
    event,
    state: 'ignored',
    receivedAt: deps.now(),
    requestId: request.origin.requestId,
    counts: { stored: 0, skipped: 0, rejected: 0, omitted: mapped?.omitted ?? 0 },
  };
  const complete = withMemories(deps, delivery, mapped);
  return deps.store.transact(webhook.organizationId, (unit) => store(deps, unit, complete));
}

/** Reads a request whose signature is valid. */
function readRequest(deps: ReceiveDeps, webhook: InboundWebhook, request: ReceivedRequest) {
  try {
    const payload = request.parse(request.body);
    if (request.kind === 'tracker' && !isRecentTrackerEvent(payload, deps.now())) throw new InvalidSignatureError();
    return { payload, event: eventOf(request, payload), givenId: deliveryIdOf(request) };
  } catch (error) {
    deps.inboundRefusals.count(webhook, error instanceof InvalidSignatureError ? 'too_old' : 'body', deps.now());
    throw error;
  }
}

async function authenticSender(
  { store, secretBox, now, inboundRefusals }: ReceiveDeps,
  { kind, webhookId, body, signature }: ReceivedRequest,
): Promise<InboundWebhook> {
  const webhook = await store.inbound.findWebhook(webhookId);
  const isOpen = webhook?.enabled === true && webhook.kind === kind;
  const open = ({ organizationId, id }: InboundWebhook, sealed: string) =>
    secretBox.open(sealed, inboundSecretPlace(organizationId, id));
  const secrets = isOpen ? secretsInForce(webhook, now()).map((sealed) => open(webhook, sealed)) : [NO_SECRET];
  const isSigned = isSignedBy(kind, signature, body, secrets);
  if (isSigned && isOpen) return webhook;
  if (webhook?.kind === kind) inboundRefusals.count(webhook, isOpen ? 'signature' : 'disabled', now());
  throw new InvalidSignatureError();
}

function eventOf({ kind, event }: ReceivedRequest, payload: unknown): string {
  const type = kind === 'codehost' ? event : (payload as { type?: unknown } | null)?.type;
  if (typeof type === 'string' && type !== '') return type.slice(0, MAX_ID_LENGTH);
  const where = kind === 'codehost' ? 'the header X-Code-Host-Event' : 'the member type of the body';
  throw invalid(kind === 'codehost' ? 'X-Code-Host-Event' : 'type', `is required: ${where} names the event`);
}

function deliveryIdOf({ deliveryId }: ReceivedRequest): string | undefined {
  if (deliveryId === undefined || deliveryId === '') return undefined;
  if (deliveryId.length > MAX_ID_LENGTH) throw invalid('delivery id', `must have at most ${MAX_ID_LENGTH} characters`);
  return deliveryId;
}

function map(
  kind: InboundKind,
  event: string,
  payload: unknown,
  context: Parameters<typeof mapTrackerEvent>[1],
): MappedEvent {
  return kind === 'codehost' ? mapCodeHostEvent(event, payload, context) : mapTrackerEvent(payload, context);
}

/** Seals the memories, since the content scan has not checked them yet. */
function withMemories(
  { secretBox }: ReceiveDeps,
  delivery: InboundDelivery,
  mapped: MappedEvent | undefined,
): InboundDelivery {
  if (!mapped || mapped.memories.length === 0) return { ...delivery, finishedAt: delivery.receivedAt };
  const sealedMemories = secretBox.seal(JSON.stringify(mapped.memories), memoriesPlace(delivery));
  return { ...delivery, state: 'queued', sealedMemories };
}

async function store({ now }: ReceiveDeps, unit: UnitOfWork, delivery: InboundDelivery): Promise<Receipt> {
  const { webhookId, deliveryId, bodyHash, organizationId, key } = delivery;
  const webhook = await unit.inbound.findWebhook(webhookId);
  if (!webhook?.enabled) throw new InvalidSignatureError();

  const keptSince = now() - DELIVERIES_KEPT_US;
  for (const known of await unit.inbound.findRepeated(webhookId, deliveryId, bodyHash)) {
    if (repeats(known, keptSince)) return 'duplicate';
    await unit.inbound.deleteDelivery(known.key);
  }
  await unit.inbound.deleteDeliveries(webhookId, keptSince, MAX_OLD_DELETED);
  if (delivery.state === 'queued') {
    if (await unit.inbound.hasQueued(webhookId, MAX_QUEUED)) throw tooMany();
    await unit.enqueue({ name: 'ingest-delivery', data: { organizationId, deliveryKey: key } });
  }
  await unit.inbound.insertDelivery(delivery);
  return delivery.state === 'queued' ? 'queued' : 'ignored';
}

/** Reports if a delivery is a duplicate. One that failed or stored nothing may be sent again. */
function repeats({ state, receivedAt }: InboundDelivery, keptSince: number): boolean {
  return state === 'queued' || (state === 'processed' && receivedAt >= keptSince);
}

function tooMany(): UnavailableError {
  return new UnavailableError('Too many deliveries of this webhook are queued: send it again', RETRY_AFTER_SECONDS);
}
