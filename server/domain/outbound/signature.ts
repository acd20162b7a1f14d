import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and the base64 of 32 random bytes, the form of Standard Webhooks. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Returns the value of `X-Service-Signature`: the HMAC of the body, keyed with the text of the secret. */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/**
 * Returns the value of `webhook-signature` by Standard Webhooks, with one signature per secret. The key is the decoded
 * secret. The signature covers id, time and body, so that nobody can repeat an old delivery as a new one.
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
