import { isIP } from 'node:net';
import { invalid } from '../invalid.js';
import { isLoopbackAddress, isPublicAddress } from './address.js';

const MAX_LENGTH = 2_048;
const HTTPS_PORT = 443;
const FIRST_FREE_PORT = 1_024;

/** What an operator allows beside public HTTPS. */
export interface EndpointRules {
  /** Endpoints on this machine, without TLS too: for development. */
  allowLoopback: boolean;
}

/**
 * The URL of an endpoint that may be sent to (section 6.2), in the form that
 * the URL standard gives it. What a host name resolves to is checked when a
 * connection is made.
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

/** Whether a connection to an IP address may be made. */
export function isAllowedAddress(address: string, { allowLoopback }: EndpointRules): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

/** The host of a URL as names and addresses are looked up: IPv6 without its brackets. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function faultOf(url: URL, rules: EndpointRules): string | undefined {
  const host = hostOf(url);
  const isLocal = rules.allowLoopback && (isLoopbackAddress(host) || isLocalName(host));
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (url.hash !== '') return 'must not hold a fragment';
  if (isLocal) return undefined;
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (port !== HTTPS_PORT && port < FIRST_FREE_PORT)
    return `must use port ${HTTPS_PORT} or one from ${FIRST_FREE_PORT} on`;
  if (isIP(host) !== 0 ? !isAllowedAddress(host, rules) : isLocalName(host)) {
    return 'must lead to a public address, not to a private network or to this machine';
  }
  return undefined;
}

function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost');
}
