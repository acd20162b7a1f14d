import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A fresh signing secret: `whsec_` and the base64 of 32 random bytes, as Standard Webhooks has it. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The value of `X-Service-Signature`: the HMAC of the body, keyed with the secret as it was shown. */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/**
 * The value of `webhook-signature`, one signature for each secret, as Standard
 * Webhooks has it: keyed with the bytes that the secret stands for, over id,
 * time and body, so that an old delivery cannot be sent again as a new one.
 *
 * @param timestamp seconds since the Unix epoch, as in `webhook-timestamp`
 */
export function signMessage(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
