import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AddressRange, addressBlock, clientAddress, parseAddressRange } from './client-address.js';

const PROXY = '10.0.0.1';
const CLIENT = '203.0.113.7';
const TRUSTED = ranges('10.0.0.0/8', '192.0.2.1', '2001:db8:1::/48', '::1', 'fe80::/10');

function ranges(...texts: string[]): AddressRange[] {
  return texts.map((text) => parseAddressRange(text)!);
}

describe('clientAddress', () => {
  test.each([
    ['the peer if the header is missing', undefined, PROXY],
    ['the peer if the header is empty', '', PROXY],
    ['the address that the proxy appended', CLIENT, CLIENT],
    ['the last address that is not a proxy', `198.51.100.9, ${CLIENT}, 10.9.9.9,192.0.2.1`, CLIENT],
    ['the leftmost address if all are proxies', '10.0.0.9, 192.0.2.1, ::1', '10.0.0.9'],
    ['an address without its port', `${CLIENT}:567, [::1]:5, [2001:db8:1::2]`, CLIENT],
    ['an IPv6 address in its short form', '[2001:0DB8:0:0::9]:443', '2001:db8::9'],
    ['an IPv4 address that is written as an IPv6 address', `::ffff:${CLIENT}, ::ffff:10.0.0.9`, CLIENT],
    ['the last valid address if the entry before it is invalid', '198.51.100.9, unknown, 10.0.0.9', '10.0.0.9'],
    ['the peer if the last entry is invalid', '198.51.100.9, _hidden', PROXY],
    ['the last valid address if the entry before it is empty', '198.51.100.9,, 10.0.0.9', '10.0.0.9'],
  ])('returns %s', (_, header, expected) => {
    expect(clientAddress(TRUSTED, PROXY, header)).toBe(expected);
  });

  test.each(['127.1', '0x7f.0.0.1', '010.0.0.1', '2130706433', '1.2.3.4:', '1.2.3.4:999999', '[1.2.3.4]', '::1%lo'])(
    'rejects %s as an address',
    (entry) => {
      expect(clientAddress(TRUSTED, PROXY, `${CLIENT}, ${entry}`)).toBe(PROXY);
    },
  );

  test.each([CLIENT, '11.0.0.1', '192.0.2.2', '2001:db8:2::1', '::2', '::ffff:11.0.0.1'])(
    'ignores the header from %s, which is not trusted',
    (peer) => {
      expect(clientAddress(TRUSTED, peer, '198.51.100.9')).toBe(peer.replace('::ffff:', ''));
    },
  );

  test.each(['10.255.0.1', '192.0.2.1', '2001:db8:1:ffff::1', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0'])(
    'accepts the header from %s, which is trusted',
    (peer) => {
      expect(clientAddress(TRUSTED, peer, CLIENT)).toBe(CLIENT);
    },
  );

  test('ignores every header if no proxy is trusted', () => {
    expect(clientAddress([], PROXY, CLIENT)).toBe(PROXY);
    expect(clientAddress(ranges('::/1'), PROXY, CLIENT)).toBe(PROXY);
  });

  test.each([{ trusted: [] }, { trusted: TRUSTED }])(
    'returns an IPv4 address if the system reports it as an IPv6 address',
    ({ trusted }) => {
      expect(clientAddress(trusted, `::ffff:${CLIENT}`, undefined)).toBe(CLIENT);
      expect(clientAddress(trusted, '::ffff:cb00:7107:1', undefined)).toBe('::ffff:cb00:7107:1');
    },
  );

  test('returns undefined if the connection is closed', () => {
    expect(clientAddress(TRUSTED, undefined, CLIENT)).toBeUndefined();
  });

  test('returns the address that the first proxy appended, whatever the client wrote before it', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    const listed = fc.constantFrom('10.0.0.9', '192.0.2.1:80', '[::1]:5', '::ffff:10.1.1.1', '2001:db8:1::7');
    const written = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(address, listed, fc.string())).map((all) => all.join(',')),
    );
    const own = fc.oneof(
      fc.nat(255).map((byte) => `203.0.113.${byte}`),
      fc.integer({ min: 1, max: 0xffff }).map((part) => `2001:db8:2::${part.toString(16)}`),
    );

    fc.assert(
      fc.property(written, own, fc.array(listed), (front, client, proxies) => {
        const appended = [client, ...proxies].join(', ');

        expect(clientAddress(TRUSTED, PROXY, `${front}, ${appended}`)).toBe(client);
        expect(clientAddress(TRUSTED, PROXY, appended)).toBe(client);
      }),
    );
  });
});

describe('addressBlock', () => {
  test.each([
    ['203.0.113.7', '203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8:1:2::1', '2001:db8:0:2::1'],
    ['::1', '203.0.113.7'],
  ])('differs for %s and %s', (one, other) => {
    expect(addressBlock(one)).not.toBe(addressBlock(other));
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::1', '2001:DB8:1:2:0:0:0:9'],
    ['fe80::1%eth0', 'fe80::2'],
  ])('is the same for %s and %s', (one, other) => {
    expect(addressBlock(one)).toBe(addressBlock(other));
  });
});

describe('parseAddressRange', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['10.0.0.7/8', '10.255.255.255', '11.0.0.0'],
    ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['::1', '::1', '::2'],
    ['2001:DB8::/33', '2001:db8:7fff::', '2001:db8:8000::'],
    ['::ffff:10.0.0.0/104', '10.255.255.255', '11.0.0.0'],
    ['::ffff:10.0.0.1', '10.0.0.1', '10.0.0.2'],
  ])('parses %s, which contains %s and not %s', (text, inside, outside) => {
    const contains = (peer: string) => clientAddress(ranges(text), peer, CLIENT) === CLIENT;

    expect([contains(inside), contains(outside)]).toEqual([true, false]);
  });

  test.each([
    '',
    'proxy.example.com',
    '10.0.0',
    '10.1',
    '010.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '::/129',
    '::ffff:0:0/90',
    'fe80::1%eth0',
    '[::1]',
    '10.0.0.1:80',
    '*',
  ])('rejects %j', (text) => {
    expect(parseAddressRange(text)).toBeUndefined();
  });
});
