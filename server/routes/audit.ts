import { parseTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type {
  ExportAuditEventsData,
  ExportAuditEventsResponses,
  ListAuditEventsData,
  ListAuditEventsResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { preferredType } from '../http/request/address/preferred-type.js';
import { presentAuditCsv, presentAuditEvent, presentAuditLines } from '../http/response/present-audit.js';
import { nextCursorOf, presentPage } from '../http/response/present-page.js';
import * as auditEvents from '../services/organization/audit-events.js';

const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

export const listAuditEvents: Route<ListAuditEventsData, ListAuditEventsResponses, 'limit'> = async (
  { caller, query },
  deps,
) => {
  const page = await auditEvents.listAuditEvents(deps, caller, toFilter(query));
  return {
    status: 200,
    body: { auditEvents: page.items.map(presentAuditEvent), ...presentPage(page) },
  };
};

export const exportAuditEvents: Route<ExportAuditEventsData, ExportAuditEventsResponses, 'limit'> = async (
  { caller, query, headers: { accept } },
  deps,
) => {
  const { format, ...wanted } = query;
  const page = await auditEvents.listAuditEvents(deps, caller, toFilter(wanted));
  const cursor = nextCursorOf(page);
  const mediaType = format ? MEDIA_TYPES[format] : preferredType(accept, [MEDIA_TYPES.ndjson, MEDIA_TYPES.csv]);
  return {
    status: 200,
    headers: { 'Content-Type': mediaType, ...(cursor !== undefined && { 'X-Next-Cursor': cursor }) },
    body:
      mediaType === MEDIA_TYPES.csv
        ? presentAuditCsv(page.items, query.cursor === undefined)
        : presentAuditLines(page.items),
  };
};

type Query = NonNullable<ListAuditEventsData['query']> & { limit: number };

function toFilter({ since, until, limit, cursor, ...conditions }: Query) {
  return {
    ...toPageQuery({ limit, ...(cursor !== undefined && { cursor }) }),
    ...conditions,
    since: since === undefined ? undefined : parseTimestamp(since, 'since'),
    until: until === undefined ? undefined : parseTimestamp(until, 'until'),
  };
}
