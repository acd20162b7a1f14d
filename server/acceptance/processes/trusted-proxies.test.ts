import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../config/config.js';
import { startService } from '../../service.js';
import { HttpClient } from '../../testing/app/http-client.js';
import { quickFolder } from '../../testing/processes/quick-folder.js';

const ATTACKER = '203.0.113.66';
const SOMEBODY = '203.0.113.7';

/** Starts a service that accepts two attempts a minute from an address. */
async function start(env: Record<string, string>) {
  const own = { PORT: '0', SERVICE_DATA_DIR: quickFolder(), SERVICE_LOG_LEVEL: 'silent' };
  const config = readConfig({ ...own, SERVICE_RATE_LIMIT_SIGN_IN_ADDRESS: '2', ...env });
  const service = await startService(config, () => undefined);
  const client = new HttpClient(Number(new URL(service.url).port));
  onTestFinished(() => client.close());
  return { client, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Tries to sign in through a proxy that appends the address of its client. */
async function attempt(client: HttpClient, address: string, written: string): Promise<number> {
  const body = JSON.stringify({ email: `${address}@example.test`, password: 'a long and wrong phrase' });
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': `${written}, ${address}` };
  return (await client.send('POST', '/api/session', body, headers)).status;
}

describe('a client that guesses passwords through a proxy', () => {
  test('locks out nobody else if the proxy is trusted, and gains nothing by forging other addresses', async () => {
    await using service = await start({ SERVICE_TRUSTED_PROXIES: '127.0.0.1' });
    const { client } = service;

    const guesses = [];
    for (const written of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) guesses.push(await attempt(client, ATTACKER, written));

    expect(guesses).toEqual([401, 401, 429]);
    expect(await attempt(client, SOMEBODY, '')).toBe(401);
  });

  test('counts as the proxy if that is not trusted, like everybody else', async () => {
    await using service = await start({});
    const { client } = service;

    const guesses = [];
    for (const written of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) guesses.push(await attempt(client, ATTACKER, written));

    expect(guesses).toEqual([401, 401, 429]);
    expect(await attempt(client, SOMEBODY, '')).toBe(429);
  });
});
