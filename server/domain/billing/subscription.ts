import type { Microseconds } from '../timestamp.js';

/** Id of the subscription that an operator sets, beside those of the billing provider. */
export const PROVISIONED_SUBSCRIPTION = 'provisioned';

/** Last state of a subscription that the billing provider reported. */
export interface Subscription {
  /** The provider's id. */
  id: string;
  /** Status in the provider's words. */
  status: string;
  /** Price ids of its items, in their order. */
  priceIds: readonly string[];
  /** The provider's id of who pays. Absent from subscriptions that were stored before it was read. */
  customerId?: string;
  /** Its day and time of the month are the start of each usage period. */
  anchorAt: Microseconds;
  periodEndsAt?: Microseconds;
  trialEndsAt?: Microseconds;
  cancelAtPeriodEnd: boolean;
  /** Time of the provider's last change. */
  changedAt: Microseconds;
  /** Orders changes of the same time: created, updated, ended. */
  changeRank: number;
}

/** Reports if a subscription allows writes (section 5.5): it is active or in its trial. */
export function isLive({ status }: Pick<Subscription, 'status'>): boolean {
  return status === 'active' || status === 'trialing';
}

/** Reports if the provider will charge for a subscription again: it has not ended, and no end is set. */
export function isOpen({ id, status, cancelAtPeriodEnd }: Subscription): boolean {
  if (id === PROVISIONED_SUBSCRIPTION) return false;
  return !cancelAtPeriodEnd && status !== 'canceled' && status !== 'incomplete_expired';
}

/** Reports if a reported state is later than the known one. Events arrive in any order. */
export function isLater(said: Subscription, known: Subscription): boolean {
  if (said.changedAt !== known.changedAt) return said.changedAt > known.changedAt;
  return said.changeRank >= known.changeRank;
}

/** Returns the subscription that applies to an organization: a live one if there is one, or else the last changed. */
export function effectiveSubscription(all: readonly Subscription[]): Subscription | undefined {
  return all.reduce<Subscription | undefined>((best, each) => (best && !isBetter(each, best) ? best : each), undefined);
}

/** Returns who pays for an organization: the customer of the subscription that applies, or else of another one. */
export function customerOf(all: readonly Subscription[]): string | undefined {
  return effectiveSubscription(all.filter(({ customerId }) => customerId !== undefined))?.customerId;
}

function isBetter(one: Subscription, other: Subscription): boolean {
  if (isLive(one) !== isLive(other)) return isLive(one);
  return isLater(one, other);
}
