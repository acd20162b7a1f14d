import type { Microseconds } from '../timestamp.js';

/** The two kinds of senders (section 4.14). */
export type InboundKind = 'codehost' | 'tracker';

export type InboundEvent = 'push' | 'issues' | 'Issue' | 'Comment';

/** What each kind of sender can tell of; a registration chooses among them. */
export const INBOUND_EVENTS: Readonly<Record<InboundKind, readonly InboundEvent[]>> = {
  codehost: ['push', 'issues'],
  tracker: ['Issue', 'Comment'],
};

/** A sender that an owner let in. */
export interface InboundWebhook {
  /** UUID; part of the address that the sender posts to. */
  id: string;
  organizationId: string;
  kind: InboundKind;
  name: string;
  /** At least one, all of its kind. */
  events: readonly InboundEvent[];
  enabled: boolean;
  /** Sealed; what deliveries are signed with. */
  sealedSecret: string;
  /** The secret before the last rotation, sealed, and until when it is taken as well. */
  previous?: { sealedSecret: string; until: Microseconds };
  createdAt: Microseconds;
  updatedAt: Microseconds;
}

/** What the secrets of a webhook are sealed for. */
export function secretPlace({ organizationId, id }: Pick<InboundWebhook, 'organizationId' | 'id'>): string {
  return `inbound-webhook ${organizationId} ${id}`;
}
