import type { IncomingMessage } from 'node:http';
import { ForbiddenError } from '../../errors.js';

export interface AdmissionRules {
  /** Origins of web pages that may call, such as `https://app.example.com`. */
  allowedOrigins: readonly string[];
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Lets pass what comes from no web page, from a page of this very service on
 * the machine it runs on, or from a page that the operator listed. A page
 * elsewhere must not be able to reach a service on its visitor's machine.
 *
 * @throws {ForbiddenError} `origin_forbidden`
 */
export function assertOrigin(request: IncomingMessage, { allowedOrigins }: AdmissionRules): void {
  const { origin, host } = request.headers;
  if (origin === undefined || allowedOrigins.includes(origin.toLowerCase())) return;
  if (isLocalHost(request) && origin.toLowerCase() === `http://${host?.toLowerCase()}`) return;
  throw new ForbiddenError('origin_forbidden', 'Web pages of this origin may not use the tools of this service');
}

/** Whether a request names the machine itself as its host, as no page elsewhere can make a browser do. */
export function isLocalHost({ headers }: IncomingMessage): boolean {
  const name = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  return LOOPBACK_NAMES.includes(name);
}
