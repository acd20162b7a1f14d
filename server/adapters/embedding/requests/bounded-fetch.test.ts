import { describe, expect, test } from 'vitest';
import { boundAnswers } from './bounded-fetch.js';

function answering(body: string | null, init?: ResponseInit): typeof fetch {
  return async () => new Response(body, init);
}

describe('an answer', () => {
  test('within the bound comes through with status and headers', async () => {
    const bounded = boundAnswers(answering('12345', { status: 429, headers: { 'Retry-After': '3' } }), 5);

    const response = await bounded('http://127.0.0.1');

    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.text()).toBe('12345');
  });

  test('beyond the bound fails while it is read', async () => {
    const bounded = boundAnswers(answering('123456'), 5);

    const response = await bounded('http://127.0.0.1');

    await expect(response.text()).rejects.toThrow(/longer than 5 bytes/);
  });

  test('without a body comes through', async () => {
    const response = await boundAnswers(answering(null, { status: 204 }))('http://127.0.0.1');

    expect(response.status).toBe(204);
  });
});
