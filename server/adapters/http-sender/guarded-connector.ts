import { isIP } from 'node:net';
import type { buildConnector } from 'undici';
import { type EndpointRules, hostOf, isAllowedAddress } from '../../domain/outbound/endpoint-url.js';

/** A host name to resolve for a tenant, until `signal` is aborted. */
export interface Lookup {
  host: string;
  tenant: string;
  signal: AbortSignal;
}

/** Returns every address of a host name, possibly none. */
export type Resolve = (lookup: Lookup) => Promise<readonly string[]>;

/** Resolves hosts for one request, whose tenant and deadline are known. */
type ResolveHost = (host: string) => Promise<readonly string[]>;

/** No connection was attempted, since at least one address of the host is forbidden. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefusedError';
}

/** The host has no address. */
export class UnresolvedError extends Error {
  override name = 'UnresolvedError';
}

/**
 * Connects to the address that was checked, never to a name that could later resolve to another one. An address written
 * in the URL is checked in the same way.
 */
export function guardedConnector(
  connect: buildConnector.connector,
  resolve: ResolveHost,
  rules: EndpointRules,
): buildConnector.connector {
  return (options, callback) => {
    const host = hostOf(options);
    checkedAddress(host, resolve, rules).then(
      (address) => {
        const servername = isIP(host) === 0 ? host : undefined;
        connect({ ...options, hostname: address, ...(servername !== undefined && { servername }) }, callback);
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
}

async function checkedAddress(host: string, resolve: ResolveHost, rules: EndpointRules): Promise<string> {
  const addresses = isIP(host) === 0 ? await lookUp(host, resolve) : [host];
  const [first] = addresses;
  if (first === undefined) throw new UnresolvedError('The host has no address');
  if (!addresses.every((address) => isAllowedAddress(address, rules))) {
    throw new AddressRefusedError('The host resolves to an address that is not allowed');
  }
  return first;
}

async function lookUp(host: string, resolve: ResolveHost): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch (error) {
    throw new UnresolvedError('The host does not resolve', { cause: error });
  }
}
