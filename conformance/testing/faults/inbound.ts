import { answering, body, type Fault, memories, on, pretends } from '../fault.js';

const CODE_HOST = 'POST /webhooks/codehost/*';
const TRACKER = 'POST /webhooks/tracker/*';
const EXPORT = 'GET /api/memories/export';
const DELIVERIES = 'GET /api/organization/inbound-webhooks/*/deliveries';

/** Accepts unsigned deliveries. */
const trusts = (operation: string, status: number): Fault => on(operation, pretends(status, { status: 'queued' }));
const receipt = (status: string): Fault =>
  body((json) => {
    json.status = status;
  });
const stored = (change: (memory: Record<string, unknown>) => Record<string, unknown>): Fault =>
  on(
    EXPORT,
    memories((list) => list.map(change)),
  );
const asDelivered = on(
  DELIVERIES,
  body((json) => {
    for (const delivery of json.inboundDeliveries as Record<string, unknown>[]) {
      if (delivery.state === 'failed') delivery.state = 'processed';
    }
  }),
);

export const inboundFaults: Readonly<Record<string, Fault>> = {
  'inbound-codehost-signature-401': trusts(CODE_HOST, 202),
  'inbound-tracker-signature-401': trusts(TRACKER, 200),
  'inbound-signature-of-raw-body': on(CODE_HOST, (sent, forward) =>
    forward({ ...sent, raw: JSON.stringify(JSON.parse(sent.raw ?? '{}')) }),
  ),
  'inbound-unknown-webhook-401': on(
    CODE_HOST,
    answering(({ json }) => {
      if (json) json.code = 'unknown_webhook';
    }),
  ),
  'inbound-codehost-202': on(
    CODE_HOST,
    answering((returned) => {
      returned.status = 200;
    }),
  ),
  'inbound-tracker-200': on(
    TRACKER,
    answering((returned) => {
      returned.status = 202;
    }),
  ),
  'inbound-duplicate-delivery': on(CODE_HOST, receipt('queued')),
  'inbound-push-becomes-memory': stored((memory) => ({ ...memory, metadata: { source: 'codehost' } })),
  'inbound-issue-becomes-memory': stored((memory) => ({ ...memory, content: 'An issue' })),
  'inbound-tracker-issue-becomes-memory': stored((memory) => ({ ...memory, metadata: { source: 'tracker' } })),
  'inbound-tracker-comment-becomes-memory': stored((memory) => ({ ...memory, content: 'A comment' })),
  'inbound-other-events-ignored': on(CODE_HOST, receipt('queued')),
  'inbound-only-chosen-events': on(TRACKER, receipt('queued')),
  'inbound-issue-is-kept-up-to-date': on(
    EXPORT,
    memories((list) => [...list, ...list.map((memory) => ({ ...memory, id: '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11' }))]),
  ),
  'inbound-drops-addresses': stored((memory) => ({
    ...memory,
    metadata: { by: ['ana.lopez', 'mail-of-ana.com'].join('@') },
  })),
  'inbound-is-scanned': asDelivered,
  'inbound-is-audited': on(
    'GET /api/organization/audit-events',
    body((json) => {
      json.auditEvents = [];
    }),
  ),
  'inbound-unpaid-dropped': asDelivered,
  'inbound-over-quota-dropped': asDelivered,
};
