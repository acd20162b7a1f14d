import { expect, test } from 'vitest';
import { toWebhook, toWebhookDocument } from './outbound-documents.js';

const ENABLED = {
  _id: 'w',
  org: 'o',
  url: 'https://example.com/hook',
  events: ['memory.ingested'],
  description: '',
  secret: 'v1.b',
  createdAt: 1,
  updatedAt: 2,
} as const;

test('an outbound webhook keeps the field names of existing databases', () => {
  const disabled = {
    ...ENABLED,
    previousSecret: { sealed: 'v1.a', until: 5 },
    disabled: { at: 3, reason: 'gone' },
  } as const;

  const webhooks = [ENABLED, disabled].map(toWebhook);

  expect(webhooks).toMatchObject([
    { id: 'w', enabled: true, sealedSecret: 'v1.b' },
    { id: 'w', enabled: false, disabled: { at: 3, reason: 'gone' }, previousSecret: { sealed: 'v1.a', until: 5 } },
  ]);
  expect(webhooks[0]).not.toHaveProperty('secret');
  expect(webhooks.map((webhook) => toWebhookDocument('o', webhook))).toEqual([ENABLED, disabled]);
});
