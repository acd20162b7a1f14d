import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Source } from '../../domain/account/audit-event.js';
import type { Identity } from '../../services/access/principal.js';

/** On whose behalf the service sends a request to itself. */
export interface Surface {
  source: Source;
  /** Of the caller outside. */
  ip?: string;
  /** Whose token was found valid a moment ago. */
  identity?: Identity;
  /** The caller's header that the standings of the identity are for. */
  organizationHeader?: string | undefined;
  /** Set where no credential is needed: the organization in which the service's own principal acts. */
  systemOrganizationId?: string;
  /** Told of the organization that a request turned out to act in. */
  onOrganization?: (organizationId: string) => void;
  /** What the caller outside sent; undefined ones are left out, whatever the request itself carries. */
  headers: Readonly<Record<string, string | undefined>>;
}

/** A request that never was on a socket. Only code of this process can make one, so its surface can be trusted. */
export class InProcessRequest extends IncomingMessage {
  constructor(
    readonly surface: Surface,
    { method, url, headers }: { method: string; url: string; headers: Record<string, string> },
    body: Uint8Array,
  ) {
    const socket = new Socket();
    // A socket that is not connected has no address of its own.
    Object.defineProperty(socket, 'remoteAddress', { value: surface.ip });
    super(socket);
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.httpVersion = '1.1';
    if (body.length > 0) this.push(body);
    this.push(null);
    this.complete = true;
  }
}
