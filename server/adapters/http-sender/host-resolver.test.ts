import { describe, expect, test } from 'vitest';
import { nameServer } from '../../testing/processes/name-server.js';
import { HostResolver } from './host-resolver.js';
import { parseHosts } from './hosts-file.js';

const SHORT_TIMEOUT_MS = 150;

describe('HostResolver', () => {
  test('returns every address that the name server returns', async () => {
    const { address } = await nameServer(() => ['192.0.2.7', '192.0.2.8']);
    const resolver = new HostResolver({ servers: [address] });

    const addresses = await resolver.resolve(lookupOf('Hook.Example.'));

    expect([...addresses].sort()).toEqual(['192.0.2.7', '192.0.2.8']);
  });

  test('returns no address for a name that has none, and rejects if the name does not exist', async () => {
    const { address } = await nameServer((name) => (name === 'empty.example' ? [] : 'missing'));
    const resolver = new HostResolver({ servers: [address] });

    expect(await resolver.resolve(lookupOf('empty.example'))).toEqual([]);
    await expect(resolver.resolve(lookupOf('missing.example'))).rejects.toThrow('ENOTFOUND');
  });

  test('times out if the name server never answers', async () => {
    const { address, asked } = await nameServer(() => undefined);
    const resolver = new HostResolver({ servers: [address], timeoutMs: SHORT_TIMEOUT_MS });

    await expect(resolver.resolve(lookupOf('silent.example'))).rejects.toThrow('ECANCELLED');

    expect(asked).toEqual(['silent.example']);
    expect(resolver.use).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });

  test('stops a lookup, or the wait for one, when its request ends', async () => {
    const { address } = await nameServer(() => undefined);
    const resolver = new HostResolver({ servers: [address], timeoutMs: 60_000 });
    const request = new AbortController();
    const looking = Array.from({ length: 20 }, () => resolver.resolve(lookupOf('silent.example', 'one', request)));
    while (resolver.use.inUse + resolver.use.waiting < looking.length) await new Promise(setImmediate);

    request.abort(new Error('the request ended'));
    const results = await Promise.allSettled(looking);

    expect(results.map(({ status }) => status)).toEqual(looking.map(() => 'rejected'));
    expect(resolver.use).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });

  test('resolves a name of one tenant while 100 lookups of another tenant get no answer', async () => {
    const { address, asked } = await nameServer((name) => (name === 'bystander.example' ? ['192.0.2.7'] : undefined));
    const resolver = new HostResolver({ servers: [address], timeoutMs: 60_000 });
    const attack = new AbortController();
    const silent = Array.from({ length: 100 }, (_, n) =>
      resolver.resolve(lookupOf(`silent${n}.example`, 'attacker', attack)).catch(() => 'given up'),
    );
    while (new Set(asked).size < 8) await new Promise(setImmediate);

    const addresses = await resolver.resolve(lookupOf('bystander.example', 'bystander'));

    expect(addresses).toEqual(['192.0.2.7']);
    expect(resolver.use).toMatchObject({ inUse: 8, waiting: 92 });
    attack.abort();
    await Promise.all(silent);
  });

  test('resolves localhost without a name server', async () => {
    const { address, asked } = await nameServer(() => undefined);
    const resolver = new HostResolver({ servers: [address] });

    expect(await resolver.resolve(lookupOf('localhost'))).toContain('127.0.0.1');
    expect(await resolver.resolve(lookupOf('app.localhost'))).toEqual(['127.0.0.1']);
    expect(asked).toEqual([]);
  });
});

test('parseHosts maps names to addresses, ignores case, and skips invalid lines', () => {
  const hosts = parseHosts('127.0.0.1 localhost # this machine\n::1\tLocalHost ip6\n\n# 192.0.2.1 no\nnonsense here\n');

  expect(Object.fromEntries(hosts)).toEqual({ localhost: ['127.0.0.1', '::1'], ip6: ['::1'] });
});

function lookupOf(host: string, tenant = 'a tenant', { signal } = new AbortController()) {
  return { host, tenant, signal };
}
