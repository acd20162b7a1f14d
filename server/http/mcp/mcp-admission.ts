import type { IncomingMessage } from 'node:http';
import { ForbiddenError } from '../../errors.js';

export interface AdmissionRules {
  /** Origins of web pages that may call, such as `https://app.example.com`. */
  allowedOrigins: readonly string[];
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Rejects requests of web pages, except pages of this service on the same machine and pages of listed origins.
 * Otherwise any page could reach a service on its visitor's machine.
 *
 * @throws {ForbiddenError} `origin_forbidden`
 */
export function assertOrigin(request: IncomingMessage, { allowedOrigins }: AdmissionRules): void {
  const { origin, host } = request.headers;
  if (origin === undefined || allowedOrigins.includes(origin.toLowerCase())) return;
  if (isLocalHost(request) && origin.toLowerCase() === `http://${host?.toLowerCase()}`) return;
  throw new ForbiddenError('origin_forbidden', 'Web pages of this origin may not use the tools of this service');
}

/** Reports if the Host of a request is the machine itself. Pages elsewhere cannot make a browser send that. */
export function isLocalHost({ headers }: IncomingMessage): boolean {
  const name = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  return LOOPBACK_NAMES.includes(name);
}
