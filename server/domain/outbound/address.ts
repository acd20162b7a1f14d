import ipaddr from 'ipaddr.js';

/** IPv4 ranges of this machine, private networks, multicast, and unused addresses. */
const DENIED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** The IPv6 range that is routed between networks. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Ranges within `GLOBAL_V6` that are not hosts: Teredo and other protocol assignments, documentation, 6to4. */
const DENIED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Reports if a text is an IP address of the public internet. */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined) return false;
  if (isV4(address)) return !DENIED_V4.some((range) => address.match(range));
  return address.match(GLOBAL_V6) && !DENIED_V6.some((range) => address.match(range));
}

/** Reports if a text is a loopback address. */
export function isLoopbackAddress(text: string): boolean {
  const address = parse(text);
  return address !== undefined && address.range() === 'loopback';
}

/** Parses an IPv4 address that is written as an IPv6 address as IPv4. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function isV4(address: ipaddr.IPv4 | ipaddr.IPv6): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}
