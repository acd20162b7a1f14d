import { body, type Fault, on, overlooks, sending, status } from '../fault.js';

const GET = 'GET /api/memories/*';
const INGEST = 'POST /api/memories';
const UPSERT = 'PUT /api/memories';
const RESTORE = 'POST /api/memories/*/restore';

export const distinctFaults: Readonly<Record<string, Fault>> = {
  'dedupe-off-two-keys': on(UPSERT, overlooks('dedupe')),
  'dedupe-off-is-not-merged': on(INGEST, overlooks('dedupe')),
  'dedupe-off-is-shown': on(
    GET,
    body((json) => delete json.distinct),
  ),
  'dedupe-on-conflict-409': on(UPSERT, (sent, forward) =>
    sent.body.dedupe === 'on' ? overlooks('dedupe')(sent, forward) : forward(sent),
  ),
  'dedupe-off-is-restored': on(RESTORE, status(200, 409)),
  'dedupe-off-is-imported': on(
    'POST /api/memories/import',
    sending(({ body: sent }) => {
      const items = sent.items as Record<string, unknown>[];
      sent.items = items.map(({ distinct: _, ...item }) => item);
    }),
  ),
  'upsert-restores-deleted': on(UPSERT, overlooks('restoreDeleted')),
};
