import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Source } from '../../../domain/account/audit-event.js';
import type { Identity } from '../../../services/access/principal.js';

/** On whose behalf the service sends a request to itself. */
export interface Surface {
  source: Source;
  /** Address of the outside caller. */
  ip?: string;
  /** The caller, whose token was authenticated a moment ago. */
  identity?: Identity;
  /** Value of the caller's header that the standings of `identity` are for. */
  organizationHeader?: string | undefined;
  /** The organization of the system principal. Set if no credential is needed. */
  systemOrganizationId?: string;
  /** Called with the organization in which a request acts. */
  onOrganization?: (organizationId: string) => void;
  /** Headers of the outside caller. Undefined ones are removed, even if the request itself has them. */
  headers: Readonly<Record<string, string | undefined>>;
}

/** A request that never was on a socket. Only code of this process can create one, so its surface is trusted. */
export class InProcessRequest extends IncomingMessage {
  constructor(
    readonly surface: Surface,
    { method, url, headers }: { method: string; url: string; headers: Record<string, string> },
    body: Uint8Array,
  ) {
    const socket = new Socket();
    // An unconnected socket has no address of its own.
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
