import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address and how many bits of it count. */
export type AddressRange = readonly [Address, number];

const MAPPED_BITS = 96;
/** Before an IPv4 address that is written as an IPv6 one. */
const MAPPED = /^::ffff:(?=[\d.]+$)/;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
/** As some proxies append it: `1.2.3.4:567`, `[::1]`, `[::1]:567`. */
const V4_WITH_PORT = /^([\d.]+):\d{1,5}$/;
const V6_IN_BRACKETS = /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/;

/** Reads an IP address or a CIDR range, such as `10.0.0.0/8`. Undefined for what is neither. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [base = '', prefix, ...rest] = text.split('/');
  const address = parse(base);
  if (!address || base.includes('%') || rest.length > 0) return undefined;
  const most = isIP(base) === 4 ? 32 : 128;
  if (prefix !== undefined && !(PREFIX.test(prefix) && Number(prefix) <= most)) return undefined;
  const bits = prefix === undefined ? most : Number(prefix);
  // A range of IPv6 addresses that stand for IPv4 ones is one of those, unless it is wider than all of them.
  const isMapped = isIP(base) === 6 && address.kind() === 'ipv4';
  if (!isMapped) return [address, bits];
  return bits >= MAPPED_BITS ? [address, bits - MAPPED_BITS] : undefined;
}

/**
 * Where a request comes from. What a proxy says of that is taken only from
 * those that are trusted: each of them appends the other end of its own
 * connection, so the list is read from its end, and the first address that is
 * no trusted proxy's is the client's. What stands before it, anybody can have
 * written.
 *
 * @param peer the other end of the connection; undefined where it is gone
 * @param forwardedFor the header `X-Forwarded-For`, several lines of it joined by commas
 * @returns an IPv4 address as such, also where it was written as an IPv6 one
 */
export function clientAddress(
  trusted: readonly AddressRange[],
  peer: string | undefined,
  forwardedFor: string | undefined,
): string | undefined {
  // As most requests are: what the system calls an address needs no parsing.
  if (forwardedFor === undefined || trusted.length === 0) return peer?.replace(MAPPED, '');
  const connected = peer === undefined ? undefined : parse(peer);
  if (!connected) return peer;
  if (!isIn(trusted, connected)) return connected.toString();
  let client = connected;
  for (const entry of forwardedFor.split(',').reverse()) {
    const told = parseEntry(entry.trim());
    if (!told) break;
    client = told;
    if (!isIn(trusted, told)) break;
  }
  return client.toString();
}

/**
 * The addresses that a client can take in turn as it likes: an IPv4 address
 * alone, but of IPv6 the 64 bits that every network gives its hosts.
 *
 * @param address as `clientAddress` gives it
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}

/** A zone is a name of the machine that has it, so that it says nothing here. */
function parseEntry(text: string): Address | undefined {
  const bare = V4_WITH_PORT.exec(text)?.[1] ?? V6_IN_BRACKETS.exec(text)?.[1] ?? text;
  return bare.includes('%') ? undefined : parse(bare);
}

/** Stricter than the library, which takes `127.1` and `0x7f000001` too. */
function parse(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}

function isIn(ranges: readonly AddressRange[], address: Address): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}
