import { describe, expect, test } from 'vitest';
import { inboundSecretPlace } from './inbound/inbound-webhook.js';
import { outboundSecretPlace } from './outbound/webhook.js';
import { resealed, secretsInForce, withNewSecret } from './webhook-secrets.js';

const NOON = 1_700_000_000_000_000;
const DAY_US = 86_400_000_000;

describe('the secrets of a webhook', () => {
  test('are the current one and, for 24 hours after a rotation, the previous one', () => {
    const webhook = withNewSecret(withNewSecret({ id: 'w', sealedSecret: 'first' }, 'second', NOON - 1), 'third', NOON);

    expect(webhook).toEqual({
      id: 'w',
      sealedSecret: 'third',
      previousSecret: { sealed: 'second', until: NOON + DAY_US },
    });
    expect(secretsInForce(webhook, NOON + DAY_US - 1)).toEqual(['third', 'second']);
    expect(secretsInForce(webhook, NOON + DAY_US)).toEqual(['third']);
    expect(secretsInForce({ sealedSecret: 'only' }, NOON)).toEqual(['only']);
  });

  test('are both resealed', () => {
    const reseal = (sealed: string) => `${sealed}, resealed`;

    expect(resealed({ sealedSecret: 'a' }, reseal)).toEqual({ sealedSecret: 'a, resealed' });
    expect(resealed({ sealedSecret: 'b', previousSecret: { sealed: 'a', until: NOON } }, reseal)).toEqual({
      sealedSecret: 'b, resealed',
      previousSecret: { sealed: 'a, resealed', until: NOON },
    });
  });

  test('are sealed for places whose texts never change', () => {
    expect(inboundSecretPlace('org', 'hook')).toBe('inbound-webhook org hook');
    expect(outboundSecretPlace('org', 'hook')).toBe('outbound|org|hook');
  });
});
