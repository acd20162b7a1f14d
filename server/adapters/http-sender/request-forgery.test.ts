import { describe, expect, onTestFinished, test } from 'vitest';
import { parseEndpointUrl } from '../../domain/outbound/endpoint-url.js';
import { UnprocessableError } from '../../errors.js';
import { httpReceiver, tcpReceiver } from '../../testing/processes/receiver.js';
import type { Resolve } from './guarded-connector.js';
import { UndiciSender } from './undici-sender.js';

/** Ways to write the address of this machine or of a network behind it. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7f.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '00.00.00.00',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::7f00:1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
];

describe('requests to forbidden addresses', () => {
  test('are rejected when the endpoint is registered, however the host is written', () => {
    const accepted = HOSTS.filter((host) => isRegistered(`https://${host}:8443/hook`));

    expect(HOSTS.length).toBeGreaterThanOrEqual(60);
    expect(accepted).toEqual([]);
  });

  test('make no connection, however the host is written', async () => {
    const canary = await tcpReceiver((socket) => socket.destroy());
    const sender = senderWith(async () => ['127.0.0.1']);
    const urls = HOSTS.flatMap((host) => [`https://${host}:${canary.port}/`, `http://${host}:${canary.port}/`]);

    const sent = await Promise.all(
      urls.map((url) => sender.post({ tenant: 'a tenant', url, headers: {}, body: '{}' })),
    );

    expect(sent).toEqual(urls.map(() => ({ failure: 'address_refused' })));
    expect(canary.connections()).toBe(0);
  });

  test('make no connection if a registered name later resolves to this machine', async () => {
    const canary = await tcpReceiver((socket) => socket.destroy());
    const turns = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254'];
    for (const address of turns) {
      const sender = senderWith(async () => [address]);

      const url = `https://rebinding.example:${canary.port}/`;
      expect(isRegistered(url)).toBe(true);
      expect(await sender.post({ tenant: 'a tenant', url, headers: {}, body: '{}' })).toEqual({
        failure: 'address_refused',
      });
    }
    expect(canary.connections()).toBe(0);
  });

  test('make no connection if one of several addresses is this machine', async () => {
    const canary = await tcpReceiver((socket) => socket.destroy());
    const sender = senderWith(async () => ['93.184.215.14', '127.0.0.1']);

    const sent = await sender.post({
      tenant: 'a tenant',
      url: `https://both.example:${canary.port}/`,
      headers: {},
      body: '{}',
    });

    expect(sent).toEqual({ failure: 'address_refused' });
    expect(canary.connections()).toBe(0);
  });

  test('connect to the address that was checked, without resolving the name again', async () => {
    const receiver = await httpReceiver((response) => response.writeHead(200).end());
    let lookups = 0;
    const sender = new UndiciSender({
      allowLoopback: true,
      resolve: async () => {
        lookups += 1;
        return lookups === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
      },
    });
    onTestFinished(() => sender[Symbol.asyncDispose]());

    const sent = await sender.post({
      tenant: 'a tenant',
      url: `http://turning.example:${receiver.port}/`,
      headers: {},
      body: '{}',
    });

    expect(sent).toEqual({ status: 200 });
    expect(lookups).toBe(1);
  });
});

describe('an endpoint URL', () => {
  test.each([
    ['https://example.com/hook', 'https://example.com/hook'],
    ['https://EXAMPLE.com:443/hook?a=b', 'https://example.com/hook?a=b'],
    ['https://example.com:8443', 'https://example.com:8443/'],
    ['https://93.184.215.14/', 'https://93.184.215.14/'],
    ['https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', 'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/'],
  ])('may be %s', (text, kept) => {
    expect(parseEndpointUrl(text, { allowLoopback: false })).toBe(kept);
  });

  test.each([
    ['', 'absolute URL'],
    ['/hook', 'absolute URL'],
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['javascript:alert(1)', 'https'],
    ['https://user@example.com/', 'user name'],
    ['https://user:password@example.com/', 'password'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com:22/', 'port'],
    ['https://example.com:80/', 'port'],
    ['http://127.0.0.1:8080/', 'https'],
    [`https://example.com/${'a'.repeat(2_048)}`, '2048 characters'],
  ])('may not be %s', (text, message) => {
    expect(() => parseEndpointUrl(text, { allowLoopback: false })).toThrow(message);
  });

  test('may point to this machine, even without TLS, if the operator allows it, but never to a private network', () => {
    const rules = { allowLoopback: true };
    const local = ['http://127.0.0.1:8080/', 'http://localhost:3000/a', 'http://[::1]:9/', 'https://127.0.0.1/'];

    expect(local.map((url) => parseEndpointUrl(url, rules))).toEqual(local);
    expect(() => parseEndpointUrl('http://10.0.0.1:8080/', rules)).toThrow('https');
    expect(() => parseEndpointUrl('https://169.254.169.254/', rules)).toThrow('public address');
    expect(() => parseEndpointUrl('http://example.com/', rules)).toThrow('https');
  });
});

function isRegistered(url: string): boolean {
  try {
    parseEndpointUrl(url, { allowLoopback: false });
    return true;
  } catch (error) {
    if (error instanceof UnprocessableError) return false;
    throw error;
  }
}

function senderWith(resolve: Resolve): UndiciSender {
  const sender = new UndiciSender({ allowLoopback: false, resolve, timeoutMs: 10_000 });
  onTestFinished(() => sender[Symbol.asyncDispose]());
  return sender;
}
