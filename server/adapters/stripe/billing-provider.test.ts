import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { ForgedEventError, MalformedEventError } from '../../ports/billing-provider.js';
import { StripeBillingProvider } from './billing-provider.js';

const SECRET = 'whsec_test';
const NOW_SECONDS = 1_772_443_204;
const ORGANIZATION = '0198c5a2-0003-7a6e-b0c4-1f2e3d4c5b6a';

/** A subscription in the format that has the end of the period outside of the items. */
const SENT = {
  id: 'sub_1',
  status: 'trialing',
  customer: 'cus_1',
  billing_cycle_anchor: NOW_SECONDS + 100,
  current_period_end: NOW_SECONDS + 100,
  cancel_at_period_end: true,
  trial_end: NOW_SECONDS + 100,
  metadata: { organizationId: ORGANIZATION.toUpperCase() },
  items: { data: [{ price: { id: 'price_a' } }, { price: { id: 'price_b' } }] },
};

function read(event: object, secret = SECRET) {
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', created: NOW_SECONDS, ...event });
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: NOW_SECONDS });
  const provider = new StripeBillingProvider(SECRET, () => NOW_SECONDS * 1_000_000);
  return provider.readEvent(Buffer.from(payload), header);
}

describe('StripeBillingProvider', () => {
  test('accepts an event that the provider’s own library signed', () => {
    const { id, change } = read({ type: 'customer.subscription.created', data: { object: SENT } });

    expect(id).toBe('evt_1');
    expect(change).toEqual({
      organizationId: ORGANIZATION,
      subscription: {
        id: 'sub_1',
        status: 'trialing',
        priceIds: ['price_a', 'price_b'],
        customerId: 'cus_1',
        anchorAt: (NOW_SECONDS + 100) * 1_000_000,
        periodEndsAt: (NOW_SECONDS + 100) * 1_000_000,
        trialEndsAt: (NOW_SECONDS + 100) * 1_000_000,
        cancelAtPeriodEnd: true,
        changedAt: NOW_SECONDS * 1_000_000,
        changeRank: 0,
      },
    });
  });

  test('reads the end of the period from the items, as later versions send it', () => {
    const { current_period_end: end, ...later } = SENT;
    const items = { data: [{ price: { id: 'price_a' }, current_period_end: end }] };

    const { change } = read({ type: 'customer.subscription.updated', data: { object: { ...later, items } } });

    expect(change?.subscription).toMatchObject({ periodEndsAt: end * 1_000_000, changeRank: 1 });
  });

  test('reads the customer if the event contains it as an object', () => {
    const object = { ...SENT, customer: { id: 'cus_2', object: 'customer' } };

    const { change } = read({ type: 'customer.subscription.updated', data: { object } });

    expect(change?.subscription).toMatchObject({ customerId: 'cus_2' });
  });

  test('reads a subscription without items, period and trial', () => {
    const { items: _, current_period_end: __, customer: ___, ...bare } = { ...SENT, trial_end: null };

    const { change } = read({ type: 'customer.subscription.deleted', data: { object: bare } });

    expect(change?.subscription).toMatchObject({ priceIds: [], changeRank: 2 });
    expect(change?.subscription).not.toHaveProperty('periodEndsAt');
    expect(change?.subscription).not.toHaveProperty('trialEndsAt');
    expect(change?.subscription).not.toHaveProperty('customerId');
  });

  test('returns no change for events other than subscriptions of organizations', () => {
    const events = [
      { type: 'invoice.paid', data: { object: SENT } },
      { type: 'customer.subscription.updated', data: { object: { ...SENT, metadata: {} } } },
      { type: 'customer.subscription.updated', data: { object: { ...SENT, metadata: null } } },
      { type: 'customer.subscription.updated' },
    ];

    expect(events.map((event) => read(event).change)).toEqual(events.map(() => undefined));
  });

  test.each([
    [
      'a subscription without a status',
      { type: 'customer.subscription.updated', data: { object: { ...SENT, status: 1 } } },
    ],
    ['an invalid time', { type: 'customer.subscription.updated', created: 'now', data: { object: SENT } }],
    ['an event without a type', { data: { object: SENT } }],
    ['an event without an id', { id: 7, type: 'customer.subscription.updated', data: { object: SENT } }],
    ['a notification of the second version', { object: 'v2.core.event', type: 'v1.billing' }],
  ])('rejects %s as malformed', (_, event) => {
    expect(() => read(event)).toThrow(MalformedEventError);
  });

  test('rejects an event that somebody else signed', () => {
    const event = { type: 'customer.subscription.updated', data: { object: SENT } };

    expect(() => read(event, 'whsec_other')).toThrow(ForgedEventError);
  });
});
