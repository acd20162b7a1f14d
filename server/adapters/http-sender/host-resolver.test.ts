import { describe, expect, test } from 'vitest';
import { nameServer } from '../../testing/processes/name-server.js';
import { HostResolver } from './host-resolver.js';
import { parseHosts } from './hosts-file.js';

const QUICKLY_MS = 150;

describe('the resolver of endpoints', () => {
  test('returns every address that the name server gives', async () => {
    const { address } = await nameServer(() => ['192.0.2.7', '192.0.2.8']);
    const resolver = new HostResolver({ servers: [address] });

    const addresses = await resolver.resolve(lookupOf('Hook.Example.'));

    expect([...addresses].sort()).toEqual(['192.0.2.7', '192.0.2.8']);
  });

  test('returns no address for a name that has none, and rejects for one that does not exist', async () => {
    const { address } = await nameServer((name) => (name === 'empty.example' ? [] : 'missing'));
    const resolver = new HostResolver({ servers: [address] });

    expect(await resolver.resolve(lookupOf('empty.example'))).toEqual([]);
    await expect(resolver.resolve(lookupOf('missing.example'))).rejects.toThrow('ENOTFOUND');
  });

  test('gives up a name whose server never answers, at its deadline', async () => {
    const { address, asked } = await nameServer(() => undefined);
    const resolver = new HostResolver({ servers: [address], timeoutMs: QUICKLY_MS });

    await expect(resolver.resolve(lookupOf('silent.example'))).rejects.toThrow('ECANCELLED');

    expect(asked).toEqual(['silent.example']);
    expect(resolver.use).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });

  test('stops a look-up, or the wait for one, when its request ends', async () => {
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

  test('resolves a name of one tenant while another has 100 that nobody answers for', async () => {
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

  test('knows this machine without a name server', async () => {
    const { address, asked } = await nameServer(() => undefined);
    const resolver = new HostResolver({ servers: [address] });

    expect(await resolver.resolve(lookupOf('localhost'))).toContain('127.0.0.1');
    expect(await resolver.resolve(lookupOf('app.localhost'))).toEqual(['127.0.0.1']);
    expect(asked).toEqual([]);
  });
});

test('a hosts file gives addresses to names, whatever their case, and lines that name no address give none', () => {
  const hosts = parseHosts('127.0.0.1 localhost # this machine\n::1\tLocalHost ip6\n\n# 192.0.2.1 no\nnonsense here\n');

  expect(Object.fromEntries(hosts)).toEqual({ localhost: ['127.0.0.1', '::1'], ip6: ['::1'] });
});

function lookupOf(host: string, tenant = 'a tenant', { signal } = new AbortController()) {
  return { host, tenant, signal };
}
