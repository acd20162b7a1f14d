import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { InboundKind } from './inbound-webhook.js';

const FORM: Readonly<Record<InboundKind, RegExp>> = {
  codehost: /^sha256=([0-9a-f]{64})$/i,
  tracker: /^([0-9a-f]{64})$/i,
};

/** Replaces the secret of an unknown webhook, so that the response time does not reveal if a webhook exists. */
export const NO_SECRET = randomBytes(32).toString('hex');

/**
 * Reports if a signature header is the HMAC-SHA-256 of the bytes with one of the secrets. Tries every secret, each in
 * constant time.
 */
export function isSignedBy(
  kind: InboundKind,
  header: string | undefined,
  body: Uint8Array,
  secrets: readonly string[],
): boolean {
  const digest = FORM[kind].exec(header ?? '')?.[1];
  const given = Buffer.from(digest ?? ''.padEnd(64, '0'), 'hex');
  const matches = secrets.map((secret) => timingSafeEqual(hmac(secret, body), given));
  return digest !== undefined && matches.includes(true);
}

function hmac(secret: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}
