import { type SecretBox, SecretBoxError } from '../../domain/account/secret-box.js';
import { resealed, type WebhookSecrets } from '../../domain/webhook-secrets.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';

/** Seals the texts of one place again with the first key, and counts the results. */
export class Rewrap {
  /** Encrypted again. */
  rewrapped = 0;
  /** Already sealed with the first key. */
  kept = 0;
  /** Why no key opens the texts that stayed unchanged. */
  readonly refusals: string[] = [];

  constructor(
    private readonly secretBox: SecretBox,
    private readonly place: string,
  ) {}

  /** Returns a text under the first key, or the same text if no key opens it. */
  of(sealed: string): string {
    try {
      const next = this.secretBox.rewrap(sealed, this.place);
      if (next === sealed) this.kept += 1;
      else this.rewrapped += 1;
      return next;
    } catch (error) {
      if (!(error instanceof SecretBoxError)) throw error;
      this.refusals.push(error.message);
      return sealed;
    }
  }
}

/** Rewraps the current secrets of a webhook. Does nothing if it was deleted. */
export async function rewrapInbound(unit: UnitOfWork, webhookId: string, rewrap: Rewrap): Promise<Rewrap> {
  const current = await unit.inbound.findWebhook(webhookId);
  if (current) await unit.inbound.updateWebhook(rewrapSecrets(current, rewrap));
  return rewrap;
}

/** Rewraps the current secrets of a webhook. Does nothing if it was deleted. */
export async function rewrapOutbound(unit: UnitOfWork, webhookId: string, rewrap: Rewrap): Promise<Rewrap> {
  const current = (await unit.outbound.webhooks()).find(({ id }) => id === webhookId);
  if (current) await unit.outbound.updateWebhook(rewrapSecrets(current, rewrap));
  return rewrap;
}

/** Returns a webhook with its secrets under the first key. */
export function rewrapSecrets<Webhook extends WebhookSecrets>(webhook: Webhook, rewrap: Rewrap): Webhook {
  return resealed(webhook, (sealed) => rewrap.of(sealed));
}
