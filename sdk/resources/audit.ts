import { byNextCursor, type PagedCall } from '../calls.js';
import { listAuditEvents } from '../generated/sdk.gen.js';
import type { AuditAction, AuditEvent, AuditEventsPage } from '../generated/types.gen.js';
import type { AuditEventsQuery, CallOptions } from '../options.js';
import { type Transport, timeOf } from '../transport.js';

/** The audit log of the organization. For owners. */
export class AuditResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists audit events, newest first. */
  list(query: AuditEventsQuery = {}, options: CallOptions = {}): PagedCall<AuditEventsPage, AuditEvent> {
    return this.#transport.list(
      byNextCursor(({ auditEvents }: AuditEventsPage) => auditEvents),
      query,
      ({ action, since, until, ...rest }) => {
        const sent = { ...rest, action: action as AuditAction | undefined, since: timeOf(since), until: timeOf(until) };
        return this.#transport.call('listAuditEvents', options, (attempt) =>
          listAuditEvents({ ...attempt, query: sent }),
        );
      },
    );
  }
}
