import type { OutboundDeliveryEvent } from './generated/types.gen.js';

/** The body of an outbound delivery. */
export interface WebhookEvent {
  /** `webhook.test` if an owner tests the endpoint. */
  event: OutboundDeliveryEvent;
  /** The time of the event, ISO 8601. */
  timestamp: string;
  payload: {
    /** The id of the memory; in a test event, of the webhook. */
    id: string;
    outcome?: string;
    metadata: Record<string, unknown>;
  };
}

/** An event with a valid signature, and the id of its delivery. All attempts of a delivery have the same id. */
export interface VerifiedWebhook extends WebhookEvent {
  deliveryId: string | undefined;
}

export interface WebhookRequest {
  /** The raw body, not parsed. */
  body: string | Uint8Array;
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The signing secret. During a rotation, the old and the new one. */
  secret: string | readonly string[];
  /**
   * Maximum difference between the time of the attempt and the clock of the receiver. Default: 300. `Infinity` also
   * accepts deliveries without a time, which carry only `X-Service-Signature`. Such deliveries can be replayed.
   */
  toleranceSeconds?: number | undefined;
}

export type WebhookRefusal = 'signature_missing' | 'signature_invalid' | 'outside_tolerance' | 'body_invalid';

/** The delivery is not authentic. Respond with 401. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';

  constructor(
    readonly reason: WebhookRefusal,
    message: string,
  ) {
    super(message);
  }
}

export interface TestWebhook {
  /** The signing secret, or several as during a rotation. */
  secret: string | readonly string[];
  event?: Partial<WebhookEvent> | undefined;
  deliveryId?: string | undefined;
  /** The time of sending. Default: now. */
  sentAt?: Date | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const STANDARD_PREFIX = 'whsec_';
/** Event → the outcome that the service sends with it. A memory may also be updated with another outcome. */
const OUTCOMES: Readonly<Record<OutboundDeliveryEvent, string>> = {
  'memory.ingested': 'created',
  'memory.updated': 'updated',
  'memory.deleted': 'deleted',
  'webhook.test': 'test',
};
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/**
 * Verifies the signature and the time of a delivery, and returns its event.
 *
 * Reads `webhook-id`, `webhook-timestamp` and `webhook-signature`. Without these it reads `X-Service-Signature`, but only
 * if `toleranceSeconds` is `Infinity`. One valid signature by one of the secrets is enough.
 *
 * @throws {WebhookVerificationError}
 * @throws {TypeError} if the body is parsed already
 * @example const { event } = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
 */
export async function verifyWebhook(request: WebhookRequest): Promise<VerifiedWebhook> {
  assertRaw(request.body);
  const body = bytesOf(request.body);
  const secrets = [request.secret].flat();
  const toleranceSeconds = request.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  const header = readerOf(request.headers);
  const deliveryId = header('webhook-id');
  const sentAt = header('webhook-timestamp');
  const signatures = header('webhook-signature');

  if (deliveryId !== undefined && sentAt !== undefined && signatures !== undefined) {
    assertRecent(sentAt, toleranceSeconds);
    const signed = joined(`${deliveryId}.${sentAt}.`, body);
    await assertSigned(readStandardSignatures(signatures), secrets.map(standardKey), signed);
  } else {
    const signature = header('x-service-signature');
    if (signature === undefined) throw refusal('signature_missing', 'the delivery is not signed');
    if (toleranceSeconds !== Number.POSITIVE_INFINITY) {
      throw refusal(
        'signature_missing',
        'the delivery has no webhook-timestamp; toleranceSeconds: Infinity accepts it without one',
      );
    }
    await assertSigned(readServiceSignatures(signature), secrets.map(bytesOf), body);
  }
  return { ...parseEvent(body), deliveryId: deliveryId ?? header('x-service-delivery') };
}

/**
 * Creates the body and headers of a signed delivery, for tests of a receiver.
 *
 * @example const { body, headers } = await signTestWebhook({ secret, event: { event: 'memory.deleted' } });
 */
export async function signTestWebhook({
  secret,
  event = {},
  deliveryId = crypto.randomUUID(),
  sentAt = new Date(),
}: TestWebhook): Promise<{ body: string; headers: Record<string, string> }> {
  const { event: name = 'memory.ingested' } = event;
  const happened: WebhookEvent = {
    timestamp: sentAt.toISOString(),
    payload: { id: crypto.randomUUID(), outcome: OUTCOMES[name], metadata: {} },
    ...event,
    event: name,
  };
  const body = JSON.stringify(happened);
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const secrets = [secret].flat();
  const signed = joined(`${deliveryId}.${timestamp}.`, bytesOf(body));
  const standard = await Promise.all(secrets.map(async (each) => toBase64(await sign(standardKey(each), signed))));
  const plain = await sign(bytesOf(secrets[0] ?? ''), bytesOf(body));
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Event': happened.event,
      'X-Service-Signature': `sha256=${toHex(plain)}`,
      'X-Service-Delivery': deliveryId,
      'webhook-id': deliveryId,
      'webhook-timestamp': timestamp,
      'webhook-signature': standard.map((signature) => `v1,${signature}`).join(' '),
    },
  };
}

/** @throws {TypeError} if a framework has parsed the body, so that the signed bytes are lost */
function assertRaw(body: unknown): void {
  if (typeof body === 'string' || (typeof body === 'object' && body !== null && 'byteLength' in body)) return;
  throw new TypeError(
    "pass the raw body, as it arrived: the signature covers its bytes. In Express use express.raw({ type: 'application/json' })",
  );
}

function assertRecent(sentAt: string, toleranceSeconds: number): void {
  const apart = /^\d{1,12}$/.test(sentAt) ? Math.abs(Date.now() / 1_000 - Number(sentAt)) : Number.NaN;
  if (!(apart <= toleranceSeconds)) throw refusal('outside_tolerance', 'the delivery is too old, or the clocks differ');
}

async function assertSigned(
  signatures: readonly Uint8Array<ArrayBuffer>[],
  keys: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<void> {
  for (const key of keys) {
    const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['verify']);
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify(HMAC, imported, signature, signed)) return;
    }
  }
  throw refusal('signature_invalid', 'the signature does not match: another secret, or the body was changed');
}

async function sign(key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign(HMAC, imported, signed));
}

/** Reads one `v1,<base64>` per secret, separated by spaces. */
function readStandardSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .flatMap((part) => fromBase64(part.slice('v1,'.length)) ?? []);
}

/** Reads one `sha256=<hex>` per secret, separated by commas. */
function readServiceSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  return Array.from(header.matchAll(/(?:^|[\s,])sha256=([0-9a-f]{64})(?=$|[\s,])/gi), ([, hex = '']) =>
    Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
  );
}

/** Decodes a secret to its key in Standard Webhooks. */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(STANDARD_PREFIX)) return bytesOf(secret);
  return fromBase64(secret.slice(STANDARD_PREFIX.length)) ?? bytesOf(secret);
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw refusal('body_invalid', 'the delivery is signed, but is not JSON');
  }
}

function readerOf(headers: WebhookRequest['headers']): (name: string) => string | undefined {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined;
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name);
    return typeof value === 'string' || value === undefined ? value : value.join(', ');
  };
}

function refusal(reason: WebhookRefusal, message: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, message);
}

function bytesOf(text: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof text === 'string' ? new TextEncoder().encode(text) : new Uint8Array(text);
}

function joined(head: string, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = bytesOf(head);
  const all = new Uint8Array(start.length + tail.length);
  all.set(start);
  all.set(tail, start.length);
  return all;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
