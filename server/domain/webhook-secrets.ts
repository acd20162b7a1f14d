import type { Microseconds } from './timestamp.js';

/** How long the secret before a rotation stays in force. */
const OVERLAP_US = 24 * 60 * 60 * 1_000_000;

/** The secrets of an inbound or outbound webhook, each sealed for the place of that webhook. */
export interface WebhookSecrets {
  sealedSecret: string;
  /** The secret before the last rotation, in force until `until`. */
  previousSecret?: { sealed: string; until: Microseconds };
}

/** Gives a webhook a new secret. The current one stays in force for 24 hours. */
export function withNewSecret<Webhook extends WebhookSecrets>(
  webhook: Webhook,
  sealedSecret: string,
  now: Microseconds,
): Webhook {
  return { ...webhook, sealedSecret, previousSecret: { sealed: webhook.sealedSecret, until: now + OVERLAP_US } };
}

/** The sealed secrets in force, the current one first. */
export function secretsInForce(
  { sealedSecret, previousSecret }: WebhookSecrets,
  now: Microseconds,
): [string, ...string[]] {
  return previousSecret && now < previousSecret.until ? [sealedSecret, previousSecret.sealed] : [sealedSecret];
}

/** Replaces the sealed text of each secret by another one of the same secret. */
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
