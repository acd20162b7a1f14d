import type { Microseconds } from '../timestamp.js';

/** What the billing provider said last of one subscription of an organization. */
export interface Subscription {
  /** The provider's id. */
  id: string;
  /** In the provider's words. */
  status: string;
  /** Of its items, in their order. */
  priceIds: readonly string[];
  /** The day and time of the month at which usage starts anew. */
  anchorAt: Microseconds;
  periodEndsAt?: Microseconds;
  trialEndsAt?: Microseconds;
  cancelAtPeriodEnd: boolean;
  /** When the provider changed it to this. */
  changedAt: Microseconds;
  /** Orders changes of the same moment: created, then updated, then ended. */
  changeRank: number;
}

/** Whether a subscription entitles to writes (section 5.5): active, or in its trial. */
export function isLive({ status }: Pick<Subscription, 'status'>): boolean {
  return status === 'active' || status === 'trialing';
}

/** Whether what is said of a subscription is later than what is known of it: events come in any order. */
export function isLater(said: Subscription, known: Subscription): boolean {
  if (said.changedAt !== known.changedAt) return said.changedAt > known.changedAt;
  return said.changeRank >= known.changeRank;
}

/** The one that counts of an organization's subscriptions: a live one before the others, then the one changed last. */
export function effectiveSubscription(all: readonly Subscription[]): Subscription | undefined {
  return all.reduce<Subscription | undefined>((best, each) => (best && !isBetter(each, best) ? best : each), undefined);
}

function isBetter(one: Subscription, other: Subscription): boolean {
  if (isLive(one) !== isLive(other)) return isLive(one);
  return isLater(one, other);
}
