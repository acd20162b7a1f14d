import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address and the length of its prefix in bits. */
export type AddressRange = readonly [Address, number];

const MAPPED_BITS = 96;
/** Prefix of an IPv4 address that is written as an IPv6 address. */
const MAPPED = /^::ffff:(?=[\d.]+$)/;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
/** Some proxies append a port or brackets: `1.2.3.4:567`, `[::1]`, `[::1]:567`. */
const V4_WITH_PORT = /^([\d.]+):\d{1,5}$/;
const V6_IN_BRACKETS = /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/;

/** Parses an IP address or a CIDR range, such as `10.0.0.0/8`. Returns undefined for any other text. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [base = '', prefix, ...rest] = text.split('/');
  const address = parse(base);
  if (!address || base.includes('%') || rest.length > 0) return undefined;
  const most = isIP(base) === 4 ? 32 : 128;
  if (prefix !== undefined && !(PREFIX.test(prefix) && Number(prefix) <= most)) return undefined;
  const bits = prefix === undefined ? most : Number(prefix);
  // A range of mapped IPv6 addresses becomes a range of IPv4 addresses, unless it is wider than all of IPv4.
  const isMapped = isIP(base) === 6 && address.kind() === 'ipv4';
  if (!isMapped) return [address, bits];
  return bits >= MAPPED_BITS ? [address, bits - MAPPED_BITS] : undefined;
}

/**
 * Returns the address of the client. Each proxy appends the peer of its own connection to `X-Forwarded-For`. The list
 * is therefore read from its end, and only while the writer of the entry is trusted. The first address that is not a
 * trusted proxy is the client's; anybody can have written the entries before it. Reading stops at the first entry that
 * is not a valid address.
 *
 * @param peer address of the connection; undefined if the connection is closed
 * @param forwardedFor the header `X-Forwarded-For`, several lines of it joined by commas
 * @returns an IPv4 address without the `::ffff:` prefix
 */
export function clientAddress(
  trusted: readonly AddressRange[],
  peer: string | undefined,
  forwardedFor: string | undefined,
): string | undefined {
  // Most requests end here. The system gives a valid address, which needs no parsing.
  if (forwardedFor === undefined || trusted.length === 0) return peer?.replace(MAPPED, '');
  const connected = peer === undefined ? undefined : parse(peer);
  if (!connected) return peer;
  if (!isIn(trusted, connected)) return connected.toString();
  let client = connected;
  for (const entry of forwardedFor.split(',').reverse()) {
    const address = parseEntry(entry.trim());
    if (!address) break;
    client = address;
    if (!isIn(trusted, address)) break;
  }
  return client.toString();
}

/**
 * Returns the block of addresses among which a client can change freely: a single IPv4 address, or the /64 network of
 * an IPv6 address.
 *
 * @param address a result of `clientAddress`
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}

/** Drops the zone, because it only has a meaning on the machine that wrote it. */
function parseEntry(text: string): Address | undefined {
  const bare = V4_WITH_PORT.exec(text)?.[1] ?? V6_IN_BRACKETS.exec(text)?.[1] ?? text;
  return bare.includes('%') ? undefined : parse(bare);
}

/** Is stricter than the library, which also accepts `127.1` and `0x7f000001`. */
function parse(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}

function isIn(ranges: readonly AddressRange[], address: Address): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}
