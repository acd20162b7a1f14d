import type { Microseconds } from './timestamp.js';

/** Time after a rotation during which the previous secret stays valid. */
const OVERLAP_US = 24 * 60 * 60 * 1_000_000;

/** The secrets of a webhook, each encrypted for the place of that webhook. */
export interface WebhookSecrets {
  sealedSecret: string;
  /** The secret before the last rotation, valid until `until`. */
  previousSecret?: { sealed: string; until: Microseconds };
}

/** Returns the webhook with a new secret. The former secret stays valid for 24 hours. */
export function withNewSecret<Webhook extends WebhookSecrets>(
  webhook: Webhook,
  sealedSecret: string,
  now: Microseconds,
): Webhook {
  return { ...webhook, sealedSecret, previousSecret: { sealed: webhook.sealedSecret, until: now + OVERLAP_US } };
}

/** Returns the encrypted secrets that are valid, the current one first. */
export function secretsInForce(
  { sealedSecret, previousSecret }: WebhookSecrets,
  now: Microseconds,
): [string, ...string[]] {
  return previousSecret && now < previousSecret.until ? [sealedSecret, previousSecret.sealed] : [sealedSecret];
}

/** Replaces the encrypted text of each secret with another one of the same secret. */
export function resealed<Webhook extends WebhookSecrets>(
  webhook: Webhook,
  reseal: (sealed: string) => string,
): Webhook {
  const { sealedSecret, previousSecret } = webhook;
  return {
    ...webhook,
    sealedSecret: reseal(sealedSecret),
    ...(previousSecret && { previousSecret: { ...previousSecret, sealed: reseal(previousSecret.sealed) } }),
  };
}
