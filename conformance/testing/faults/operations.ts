import { type Fault, on, pretends, status } from '../fault.js';

const INBOUND = '/api/organization/inbound-webhooks';
const OUTBOUND = '/api/organization/outbound-webhooks';

export const operationFaults: Readonly<Record<string, Fault>> = {
  'operations-need-a-credential': on('GET /api/organization/usage', status(401, 200)),
  'operations-need-their-ability': on(`POST ${OUTBOUND}`, status(403, 422)),
  'operations-of-other-organizations': on('GET /api/organization/audit-events', (sent, forward) => {
    const { 'x-organization-id': _, ...headers } = sent.headers;
    return forward({ ...sent, headers });
  }),
  'operations-on-foreign-ids-404': on(`GET ${INBOUND}/*`, status(404, 403)),
  'operations-on-unknown-ids-404': on(`DELETE ${INBOUND}/*`, pretends(204)),
  'operations-refuse-unknown-members-422': on('PUT /api/session/password', pretends(204)),
  'operations-refuse-unknown-parameters-422': on('GET /api/organization/members', (sent, forward) =>
    forward({ ...sent, query: new URLSearchParams() }),
  ),
  'operations-refuse-broken-json-400': on(`POST ${INBOUND}`, status(400, 422)),
  'operations-refuse-other-media-415': on('PATCH /api/memories/*', (sent, forward) =>
    forward({ ...sent, headers: { ...sent.headers, 'content-type': 'application/json' } }),
  ),
  'operations-refuse-large-bodies-413': on('POST /api/memories/search', status(413, 400)),
};
