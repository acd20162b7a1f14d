import { type SecretBox, SecretBoxError } from '../../domain/account/secret-box.js';
import { resealed, type WebhookSecrets } from '../../domain/webhook-secrets.js';
import type { UnitOfWork } from '../../ports/store.js';

/** Seals the texts of one place anew with the first key, and counts what became of them. */
export class Rewrap {
  /** Sealed anew. */
  rewrapped = 0;
  /** Sealed with the first key already. */
  kept = 0;
  /** Why no key opens those that stayed as they were. */
  readonly refusals: string[] = [];

  constructor(
    private readonly secretBox: SecretBox,
    private readonly place: string,
  ) {}

  /** A text under the first key, or the very same where no key opens it. */
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

/** Renews the secrets that a webhook has by now. Nothing where it is gone. */
export async function rewrapInbound(unit: UnitOfWork, webhookId: string, rewrap: Rewrap): Promise<Rewrap> {
  const current = await unit.inbound.findWebhook(webhookId);
  if (current) await unit.inbound.updateWebhook(rewrapSecrets(current, rewrap));
  return rewrap;
}

/** Renews the secrets that a webhook has by now. Nothing where it is gone. */
export async function rewrapOutbound(unit: UnitOfWork, webhookId: string, rewrap: Rewrap): Promise<Rewrap> {
  const current = (await unit.outbound.webhooks()).find(({ id }) => id === webhookId);
  if (current) await unit.outbound.updateWebhook(rewrapSecrets(current, rewrap));
  return rewrap;
}

/** A webhook with its secrets under the first key. */
export function rewrapSecrets<Webhook extends WebhookSecrets>(webhook: Webhook, rewrap: Rewrap): Webhook {
  return resealed(webhook, (sealed) => rewrap.of(sealed));
}
