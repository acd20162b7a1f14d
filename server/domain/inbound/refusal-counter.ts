import type { Microseconds } from '../timestamp.js';
import type { InboundWebhook } from './inbound-webhook.js';
import { addRefusals, type RefusalReason, type Refusals } from './refusals.js';

/** Webhooks whose refusals can wait to be stored. Refusals of further ones are not counted. */
const MAX_WAITING = 10_000;

interface Waiting {
  organizationId: string;
  refusals: Refusals;
}

/** Stores refusals of one organization, by the id of their webhook. */
type Write = (organizationId: string, refusals: ReadonlyMap<string, Refusals>) => Promise<void>;

/**
 * Counts refused requests of senders. The counts are kept in memory and stored from time to time, so that a flood of
 * requests neither fills the store nor delays its writers. A process that crashes loses the latest counts.
 */
export class RefusalCounter {
  #waiting = new Map<string, Waiting>();
  /** Counts that are being stored. */
  #leaving: ReadonlyMap<string, Waiting> = new Map();
  #flushing: Promise<void> | undefined;

  count(
    { id, organizationId }: Pick<InboundWebhook, 'id' | 'organizationId'>,
    reason: RefusalReason,
    at: Microseconds,
  ) {
    this.#add(id, { organizationId, refusals: { count: 1, lastAt: at, lastReason: reason } });
  }

  /** Returns the refusals of a webhook, including those that are not stored yet. */
  of({ id, refusals }: Pick<InboundWebhook, 'id' | 'refusals'>): Refusals | undefined {
    const leaving = addRefusals(refusals, this.#leaving.get(id)?.refusals);
    return addRefusals(leaving, this.#waiting.get(id)?.refusals);
  }

  /**
   * Stores the counts, one organization after another. What could not be stored is kept for the next call. A call joins
   * one that is running.
   *
   * @throws the first error of `write`
   */
  flush(write: Write): Promise<void> {
    this.#flushing ??= this.#flush(write).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flush(write: Write): Promise<void> {
    this.#leaving = this.#waiting;
    this.#waiting = new Map();
    const failures: unknown[] = [];
    for (const [organizationId, refusals] of byOrganization(this.#leaving)) {
      await write(organizationId, refusals).catch((error: unknown) => {
        failures.push(error);
        for (const [id, earlier] of refusals) this.#keep(id, { organizationId, refusals: earlier });
      });
    }
    this.#leaving = new Map();
    if (failures.length > 0) throw failures[0];
  }

  /** Puts earlier refusals back, before those that came meanwhile. */
  #keep(webhookId: string, { organizationId, refusals: earlier }: Waiting): void {
    const refusals = addRefusals(earlier, this.#waiting.get(webhookId)?.refusals) ?? earlier;
    this.#waiting.set(webhookId, { organizationId, refusals });
  }

  #add(webhookId: string, { organizationId, refusals: later }: Waiting): void {
    const earlier = this.#waiting.get(webhookId);
    if (!earlier && this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(webhookId, { organizationId, refusals: addRefusals(earlier?.refusals, later) ?? later });
  }
}

function byOrganization(waiting: ReadonlyMap<string, Waiting>): Map<string, Map<string, Refusals>> {
  const grouped = new Map<string, Map<string, Refusals>>();
  for (const [webhookId, { organizationId, refusals }] of waiting) {
    const own = grouped.get(organizationId) ?? new Map<string, Refusals>();
    grouped.set(organizationId, own.set(webhookId, refusals));
  }
  return grouped;
}
