import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectiveSubscription, isLater, isLive, type Subscription } from './subscription.js';

function aSubscription(given: Partial<Subscription>): Subscription {
  return {
    id: 'sub_1',
    status: 'active',
    priceIds: [],
    anchorAt: 0,
    cancelAtPeriodEnd: false,
    changedAt: 0,
    changeRank: 1,
    ...given,
  };
}

test('a subscription is live only while its status is active or trialing', () => {
  const states = ['active', 'trialing', 'past_due', 'canceled', 'unpaid', 'incomplete', 'incomplete_expired', 'paused'];

  expect(states.filter((status) => isLive({ status }))).toEqual(['active', 'trialing']);
});

test('changes are ordered by time, and by rank if the times are equal', () => {
  const known = aSubscription({ changedAt: 5, changeRank: 1 });

  expect(isLater(aSubscription({ changedAt: 6, changeRank: 0 }), known)).toBe(true);
  expect(isLater(aSubscription({ changedAt: 4, changeRank: 2 }), known)).toBe(false);
  expect(isLater(aSubscription({ changedAt: 5, changeRank: 0 }), known)).toBe(false);
  expect(isLater(aSubscription({ changedAt: 5, changeRank: 1 }), known)).toBe(true);
  expect(isLater(aSubscription({ changedAt: 5, changeRank: 2 }), known)).toBe(true);
});

test('an organization without subscriptions has no effective subscription', () => {
  expect(effectiveSubscription([])).toBeUndefined();
});

test('the effective subscription is a live one, or else the one changed last, in any order of input', () => {
  const statuses = fc.constantFrom('active', 'trialing', 'canceled', 'past_due');
  const times = fc.uniqueArray(fc.nat(100), { minLength: 1, maxLength: 6 });
  const several = times.chain((each) =>
    fc.tuple(...each.map((changedAt) => statuses.map((status) => aSubscription({ status, changedAt })))),
  );

  fc.assert(
    fc.property(several, fc.nat(), (subscriptions, turns) => {
      const at = turns % subscriptions.length;
      const turned = [...subscriptions.slice(at), ...subscriptions.slice(0, at)];

      const counting = effectiveSubscription(turned);

      const live = subscriptions.filter(isLive);
      const candidates = live.length > 0 ? live : subscriptions;
      expect(counting?.changedAt).toBe(Math.max(...candidates.map(({ changedAt }) => changedAt)));
    }),
  );
});
