import { body, type Fault, on, overlooks, refusal, sending, status } from '../fault.js';

const INGEST = 'POST /api/memories';
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** Stores a replay as a new memory. */
const tellsReplaysApart: Fault = (sent, forward) =>
  forward({ ...sent, body: { ...sent.body, content: `${String(sent.body.content)} ${Math.random()}` } });

const onReplay = (change: (json: Record<string, unknown>) => void) =>
  on(
    INGEST,
    body((json) => {
      if (json.outcome !== 'created') change(json);
    }),
  );

export const ingestFaults: Readonly<Record<string, Fault>> = {
  'ingest-created-201': on(INGEST, status(201, 200)),
  'ingest-is-stored': on('GET /api/memories/*', status(200, 404)),
  'ingest-returns-content': on(
    INGEST,
    body((json) => (json.content = String(json.content).toUpperCase())),
  ),
  'ingest-returns-metadata': on(
    INGEST,
    body((json) => delete (json.metadata as Record<string, unknown>).nested),
  ),
  'ingest-id-is-uuid': on(
    INGEST,
    body((json) => (json.id = 'memory-1')),
  ),
  'ingest-id-is-new': on(
    INGEST,
    body((json) => (json.id = NOBODY)),
  ),
  'ingest-created-at-iso': on(
    INGEST,
    body((json) => (json.createdAt = 'yesterday')),
  ),
  'ingest-keys-absent-when-unset': on(
    INGEST,
    body((json) => (json.externalKey = 'none')),
  ),
  'ingest-sets-external-key': onReplay((json) => delete json.externalKey),
  'ingest-other-external-key-409': on(INGEST, status(409, 200)),
  'ingest-replay-200': on(INGEST, status(200, 201)),
  'ingest-replay-same-memory': on(INGEST, tellsReplaysApart),
  'ingest-replay-merges-metadata': onReplay((json) => {
    json.metadata = { ...(json.metadata as object), nested: { old: 1, new: 1 } };
  }),
  'ingest-replay-merge-is-stored': on(
    'GET /api/memories/*',
    body((json) => (json.metadata = {})),
  ),
  'ingest-replay-dedupe-exact': onReplay((json) => delete json.dedupe),
  'ingest-new-has-no-dedupe': on(
    INGEST,
    body((json) => (json.dedupe = 'exact')),
  ),
  'ingest-near-duplicate-merged': on(INGEST, tellsReplaysApart),
  'ingest-near-duplicate-merges-metadata': onReplay((json) => delete (json.metadata as Record<string, unknown>).added),
  'ingest-near-duplicate-keeps-content': on(
    'GET /api/memories/*',
    body((json) => (json.content = 'another')),
  ),
  'ingest-differing-fact-kept': on(
    INGEST,
    sending(({ body: sent }) => (sent.content = String(sent.content).replace("4 o'clock", "3 o'clock"))),
  ),
  'ingest-external-key-conflict-409': on(INGEST, overlooks('externalKey', 'scope')),
  'ingest-external-key-conflict-code': on(
    INGEST,
    refusal((json) => (json.id = NOBODY)),
  ),
};
