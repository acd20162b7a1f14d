import { isIP } from 'node:net';
import { invalid } from '../invalid.js';
import { isLoopbackAddress, isPublicAddress } from './address.js';

const MAX_LENGTH = 2_048;
const HTTPS_PORT = 443;
const FIRST_FREE_PORT = 1_024;

/** Endpoints that an operator allows in addition to public HTTPS. */
export interface EndpointRules {
  /** Allows endpoints on this machine, with or without TLS, for development. */
  allowLoopback: boolean;
}

/**
 * Validates and normalizes the URL of an endpoint (section 6.2). The address of a host name is checked when a
 * connection is opened.
 *
 * @throws {UnprocessableError} at `url`
 */
export function parseEndpointUrl(text: string, rules: EndpointRules): string {
  if (text.length > MAX_LENGTH) throw invalid('url', `must be at most ${MAX_LENGTH} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw invalid('url', 'must be an absolute URL, such as https://example.com/hook');
  const fault = faultOf(url, rules);
  if (fault !== undefined) throw invalid('url', fault);
  return url.href;
}

/** Reports if connections to an IP address are allowed. */
export function isAllowedAddress(address: string, { allowLoopback }: EndpointRules): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

/** Returns the host of a URL, for resolution: IPv6 without its brackets. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function faultOf(url: URL, rules: EndpointRules): string | undefined {
  const host = hostOf(url);
  const isLocal = rules.allowLoopback && (isLoopbackAddress(host) || isLocalName(host));
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.hash !== '') return 'must not contain a fragment';
  if (isLocal) return undefined;
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (port !== HTTPS_PORT && port < FIRST_FREE_PORT)
    return `must use port ${HTTPS_PORT}, or ${FIRST_FREE_PORT} or higher`;
  if (isIP(host) !== 0 ? !isAllowedAddress(host, rules) : isLocalName(host)) {
    return 'must have a public address, not one of a private network or of this machine';
  }
  return undefined;
}

function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost');
}
