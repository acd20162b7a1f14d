import { answering, body, type Fault, on, overlooks, pretends, sending, status } from '../fault.js';
import { relayed } from '../relay.js';

const INBOUND = '/api/organization/inbound-webhooks';
const OUTBOUND = '/api/organization/outbound-webhooks';

type Json = Record<string, unknown>;

/** Reports the requested change, and changes nothing. */
function pretendsToChange(operation: string): Fault {
  return on(operation, async (sent, forward) => {
    const returned = await forward({ ...sent, method: 'GET', body: {}, raw: undefined });
    if (returned.json) Object.assign(returned.json, sent.body);
    return returned;
  });
}

const deliveries = (change: (delivery: Json) => Json): Fault =>
  on(
    `GET ${OUTBOUND}/*/deliveries`,
    body((json) => {
      json.outboundDeliveries = (json.outboundDeliveries as Json[]).map(change);
    }),
  );

export const inboundManagementFaults: Readonly<Record<string, Fault>> = {
  'inbound-is-read-without-secret': on(
    `GET ${INBOUND}/*`,
    body((json) => {
      json.enabled = false;
    }),
  ),
  'inbound-removed-401': on(`DELETE ${INBOUND}/*`, pretends(204)),
  'inbound-disabled-401': pretendsToChange(`PATCH ${INBOUND}/*`),
  'inbound-rotation-overlaps': on(`POST ${INBOUND}/*/rotate-secret`, async (sent, forward) => {
    const { path } = sent;
    const returned = await forward({ ...sent, method: 'GET', path: path.replace('/rotate-secret', '') });
    if (returned.json) returned.json.secret = 'f'.repeat(64);
    return returned;
  }),
  'inbound-log': on(
    `GET ${INBOUND}/*/deliveries`,
    body((json) => {
      for (const delivery of json.inboundDeliveries as Json[])
        delivery.counts = { stored: 0, skipped: 0, rejected: 0, omitted: 0 };
    }),
  ),
  'inbound-log-by-state': on(`GET ${INBOUND}/*/deliveries`, overlooks('state')),
  'inbound-refusals-are-counted': on(
    `GET ${INBOUND}/*`,
    body((json) => {
      json.refusals = { count: 0 };
    }),
  ),
  'inbound-broken-deliveries': on('POST /webhooks/tracker/*', status(400, 422)),
};

export const outboundManagementFaults: Readonly<Record<string, Fault>> = {
  'outbound-is-changed': pretendsToChange(`PATCH ${OUTBOUND}/*`),
  'outbound-removed-404': on(`DELETE ${OUTBOUND}/*`, pretends(204)),
  'outbound-disabled-sends-nothing': pretendsToChange(`PATCH ${OUTBOUND}/*`),
  'outbound-rotation-overlaps': relayed(({ headers }) => {
    headers['webhook-signature'] = headers['webhook-signature']?.split(' ')[0] ?? '';
  }),
  'outbound-log': deliveries((delivery) => ({ ...delivery, attempts: 0 })),
  'outbound-delivery-is-read': on(
    `GET ${OUTBOUND}/*/deliveries/*`,
    body((json) => {
      json.attemptLog = (json.attemptLog as Json[]).map(({ answer: _, ...attempt }) => attempt);
    }),
  ),
  'outbound-failed-are-sent-again': on(
    `POST ${OUTBOUND}/*/redeliver`,
    sending(({ body: sent }) => {
      sent.since = '2020-01-01T00:00:00Z';
    }),
  ),
  'outbound-test-event': relayed((passing) => {
    passing.body = passing.body.replace('"outcome":"test"', '"outcome":"created"');
  }),
  'outbound-is-sent-again': on(
    `POST ${OUTBOUND}/*/deliveries/*/redeliver`,
    answering((returned) => {
      returned.status = 200;
    }),
  ),
  'outbound-pending-409': on(`POST ${OUTBOUND}/*/deliveries/*/redeliver`, status(409, 202)),
  'outbound-third-attempt-is-due': deliveries(({ nextAttemptAt, ...delivery }) => ({ ...delivery, attempts: 2 })),
  'outbound-gone-switches-off': on(
    `GET ${OUTBOUND}/*`,
    body((json) => {
      json.enabled = true;
    }),
  ),
};
