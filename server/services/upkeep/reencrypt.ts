import type { Deps } from '../../deps.js';
import { type InboundDelivery, memoriesPlace } from '../../domain/inbound/inbound-delivery.js';
import { inboundSecretPlace } from '../../domain/inbound/inbound-webhook.js';
import { outboundSecretPlace } from '../../domain/outbound/webhook.js';
import { byCreation, type PageQuery, type Position } from '../../domain/page.js';
import { entries } from './entries.js';
import { Rewrap, rewrapInbound, rewrapOutbound, rewrapSecrets } from './rewrap.js';

/** Limit of passes. A pass finds what a server sealed after the pass before; more would not settle either. */
const MAX_PASSES = 4;

type ReencryptDeps = Pick<Deps, 'store' | 'secretBox'>;

export const SEALED_KINDS = ['inboundSecrets', 'outboundSecrets', 'deliveries'] as const;

/** Kinds of sealed texts: current and former secrets of webhooks, and memories of queued deliveries. */
export type SealedKind = (typeof SEALED_KINDS)[number];

interface SealedCounts {
  /** Encrypted again, with the first key. */
  rewrapped: number;
  /** Already sealed with the first key. */
  kept: number;
}

/** A sealed text that no key opens. */
export interface UnopenedText {
  kind: SealedKind;
  organizationId: string;
  webhookId: string;
  /** Set for a delivery. */
  deliveryKey?: string;
  /** Never contains content. */
  reason: string;
}

export interface Reencrypted {
  counts: Record<SealedKind, SealedCounts>;
  unopened: readonly UnopenedText[];
  /** True if the last pass found nothing to rewrap. Texts that no key opens do not count. */
  isSettled: boolean;
}

/**
 * Rewraps, with the first key, every text that another key sealed. Nothing else changes.
 * Services with all of these keys may run meanwhile: each text is replaced in a transaction of its organization, and
 * keeps their changes. It may be interrupted and run again.
 */
export async function reencrypt(deps: ReencryptDeps): Promise<Reencrypted> {
  let pass = await passOverEverything(deps);
  const { counts } = pass;
  for (let passes = 1; passes < MAX_PASSES && !pass.isSettled; passes++) {
    pass = await passOverEverything(deps);
    for (const kind of SEALED_KINDS) counts[kind].rewrapped += pass.counts[kind].rewrapped;
  }
  return { counts, unopened: pass.unopened, isSettled: pass.isSettled };
}

async function passOverEverything(deps: ReencryptDeps): Promise<Pass> {
  const pass = new Pass(deps);
  for (const organizationId of await deps.store.accounts.organizationIds()) {
    await pass.visitOutbound(organizationId);
    await pass.visitInbound(organizationId);
  }
  return pass;
}

/** One pass over everything that is sealed, with its counts. */
class Pass implements Reencrypted {
  readonly counts = {
    inboundSecrets: { rewrapped: 0, kept: 0 },
    outboundSecrets: { rewrapped: 0, kept: 0 },
    deliveries: { rewrapped: 0, kept: 0 },
  };
  readonly unopened: UnopenedText[] = [];
  isSettled = true;

  constructor(private readonly deps: ReencryptDeps) {}

  async visitOutbound(organizationId: string): Promise<void> {
    const { store, secretBox } = this.deps;
    const list = (page: PageQuery) => store.outbound.listWebhooks(organizationId, page);
    for await (const webhook of entries(list, byCreation)) {
      const begin = () => new Rewrap(secretBox, outboundSecretPlace(organizationId, webhook.id));
      const seen = begin();
      rewrapSecrets(webhook, seen);
      const rewrap =
        seen.rewrapped === 0
          ? seen
          : await store.transact(organizationId, (unit) => rewrapOutbound(unit, webhook.id, begin()));
      this.#note('outboundSecrets', { organizationId, webhookId: webhook.id }, rewrap);
    }
  }

  async visitInbound(organizationId: string): Promise<void> {
    const { store, secretBox } = this.deps;
    const list = (page: PageQuery) => store.inbound.listWebhooks(organizationId, page);
    for await (const webhook of entries(list, byCreation)) {
      const begin = () => new Rewrap(secretBox, inboundSecretPlace(organizationId, webhook.id));
      const seen = begin();
      rewrapSecrets(webhook, seen);
      const rewrap =
        seen.rewrapped === 0
          ? seen
          : await store.transact(organizationId, (unit) => rewrapInbound(unit, webhook.id, begin()));
      this.#note('inboundSecrets', { organizationId, webhookId: webhook.id }, rewrap);
      await this.#visitDeliveries(organizationId, webhook.id);
    }
  }

  async #visitDeliveries(organizationId: string, webhookId: string): Promise<void> {
    const list = (page: PageQuery) => this.deps.store.inbound.listDeliveries(organizationId, webhookId, page);
    for await (const { state, key } of entries(list, receivedPosition)) {
      if (state === 'queued') await this.#visitDelivery({ organizationId, webhookId, key });
    }
  }

  async #visitDelivery(place: Pick<InboundDelivery, 'organizationId' | 'webhookId' | 'key'>): Promise<void> {
    const { store, secretBox } = this.deps;
    const { organizationId, webhookId, key } = place;
    const sealed = (await store.inbound.findDelivery(organizationId, key))?.sealedMemories;
    if (sealed === undefined) return;
    const rewrap = new Rewrap(secretBox, memoriesPlace(place));
    const next = rewrap.of(sealed);
    if (rewrap.rewrapped > 0) {
      const isExchanged = await store.transact(organizationId, (unit) =>
        unit.inbound.rewrapDelivery(key, sealed, next),
      );
      if (!isExchanged) {
        // It ended meanwhile, or another run was faster: the next pass reads it again.
        this.isSettled = false;
        return;
      }
    }
    this.#note('deliveries', { organizationId, webhookId, deliveryKey: key }, rewrap);
  }

  #note(
    kind: SealedKind,
    place: Pick<UnopenedText, 'organizationId' | 'webhookId' | 'deliveryKey'>,
    { rewrapped, kept, refusals }: Rewrap,
  ): void {
    this.counts[kind].rewrapped += rewrapped;
    this.counts[kind].kept += kept;
    if (rewrapped > 0) this.isSettled = false;
    for (const reason of refusals) this.unopened.push({ kind, ...place, reason });
  }
}

function receivedPosition({ receivedAt, key }: InboundDelivery): Position {
  return { at: receivedAt, id: key };
}
