import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { InboundKind } from './inbound-webhook.js';

const FORM: Readonly<Record<InboundKind, RegExp>> = {
  codehost: /^sha256=([0-9a-f]{64})$/i,
  tracker: /^([0-9a-f]{64})$/i,
};

/** Takes the place of a secret where there is none, so that an unknown receiver answers as late as a known one. */
export const NO_SECRET = randomBytes(32).toString('hex');

/**
 * Whether a signature header is the HMAC-SHA-256 of the bytes under one of
 * the secrets. Every secret is tried, in constant time.
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
