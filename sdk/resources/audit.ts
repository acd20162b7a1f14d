import { exportAuditEvents, listAuditEvents } from '../generated/sdk.gen.js';
import type { AuditEvent, AuditEventsPage } from '../generated/types.gen.js';
import type { AuditEventsQuery, AuditExportPage, AuditExportQuery, CallOptions } from '../options.js';
import { byNextCursor, type PagedCall } from '../transport/calls.js';
import { type Transport, timeOf } from '../transport/transport.js';

/** The audit log of the organization. For owners. */
export class AuditResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists audit events, newest first.
   *
   * @example for await (const event of client.audit.list({ action: 'memory.delete' })) console.log(event.actor);
   */
  list(query: AuditEventsQuery = {}, options: CallOptions = {}): PagedCall<AuditEventsPage, AuditEvent> {
    return this.#transport.list(
      byNextCursor(({ auditEvents }: AuditEventsPage) => auditEvents),
      query,
      (page) =>
        this.#transport.call('listAuditEvents', options, (attempt) =>
          listAuditEvents({ ...attempt, query: sentOf(page) }),
        ),
    );
  }

  /**
   * Exports audit events as text, newest first. Iterating yields the text of each page.
   *
   * @example for await (const text of client.audit.export({ format: 'csv' })) console.log(text);
   */
  export(query: AuditExportQuery = {}, options: CallOptions = {}): PagedCall<AuditExportPage, string> {
    return this.#transport.list(
      byNextCursor(({ text }: AuditExportPage) => [text]),
      query,
      ({ format = 'ndjson', ...page }) =>
        this.#transport.callFor(
          'exportAuditEvents',
          options,
          (attempt) => exportAuditEvents({ ...attempt, query: { ...sentOf(page), format } }),
          toExportPage,
        ),
    );
  }
}

function sentOf({ action, since, until, ...rest }: AuditEventsQuery) {
  const actions = typeof action === 'object' ? action.join(',') : action;
  return { ...rest, action: actions, since: timeOf(since), until: timeOf(until) };
}

function toExportPage(text: string, response: Response): AuditExportPage {
  const nextCursor = response.headers.get('X-Next-Cursor');
  return { text, ...(nextCursor !== null && { nextCursor }) };
}
