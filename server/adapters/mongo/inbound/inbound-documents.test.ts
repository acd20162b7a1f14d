import { expect, test } from 'vitest';
import { toWebhook, toWebhookDocument } from './inbound-documents.js';

test('an inbound webhook keeps the field names of existing databases', () => {
  const document = {
    _id: 'w',
    org: 'o',
    kind: 'tracker',
    name: 'issues',
    events: ['Issue'],
    enabled: false,
    sealedSecret: 'v1.b',
    previous: { sealedSecret: 'v1.a', until: 5 },
    createdAt: 1,
    updatedAt: 2,
  } as const;

  const webhook = toWebhook(document);

  expect(webhook).toMatchObject({
    id: 'w',
    organizationId: 'o',
    enabled: false,
    sealedSecret: 'v1.b',
    previousSecret: { sealed: 'v1.a', until: 5 },
  });
  expect(webhook).not.toHaveProperty('previous');
  expect(toWebhookDocument('o', webhook)).toEqual(document);
});
