import { verifyWebhook } from '@memory-service/sdk/webhooks';
import { expect, test } from 'vitest';
import { createWebhookSecret, signBody, signMessage } from './signature.js';

test('a secret is 256 random bits', () => {
  const secrets = Array.from({ length: 100 }, createWebhookSecret);

  expect(new Set(secrets).size).toBe(100);
  expect(secrets.every((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64').length === 32)).toBe(true);
});

test('signBody uses the secret as text and returns hex', () => {
  // Test case 2 of RFC 4231.
  expect(signBody('Jefe', 'what do ya want for nothing?')).toBe(
    'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('signMessage returns the signature of the Standard Webhooks example', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';

  const signature = signMessage([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body);

  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('signMessage returns one signature per secret, each of which verifies', async () => {
  const secrets = [createWebhookSecret(), createWebhookSecret()];
  const timestamp = Math.floor(Date.now() / 1_000);
  const body = '{"event":"memory.ingested","payload":{}}';
  const headers = {
    'webhook-id': 'id-1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage(secrets, 'id-1', timestamp, body),
  };

  for (const secret of secrets) {
    await expect(verifyWebhook({ body, headers, secret })).resolves.toMatchObject({ deliveryId: 'id-1' });
  }
  await expect(verifyWebhook({ body, headers, secret: createWebhookSecret() })).rejects.toThrow();
});
