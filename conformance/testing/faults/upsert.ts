import { answering, body, type Fault, memories, on, overlooks, pretends, sending, status } from '../fault.js';

const UPSERT = 'PUT /api/memories';

/** Stores each write under a new key. */
const tellsKeysApart: Fault = sending(({ body: sent }) => {
  sent.externalKey = `${String(sent.externalKey)}-${Math.random()}`;
});
const changes = (name: string, value: unknown): Fault =>
  body((json) => {
    json[name] = value;
  });
const keepsOldText: Fault = answering((returned) => {
  if (returned.json?.outcome === 'updated') returned.json.metadata = {};
});
const INVALID = { error: 'no', code: 'validation_failed' };

export const upsertFaults: Readonly<Record<string, Fault>> = {
  'upsert-created-201': on(UPSERT, status(201, 200)),
  'upsert-returns-external-key': on(
    'GET /api/memories/*',
    body((json) => delete json.externalKey),
  ),
  'upsert-replay-200': on(UPSERT, changes('outcome', 'updated')),
  'upsert-replay-merges-metadata': on(
    UPSERT,
    body((json, sent) => {
      json.metadata = sent.body.metadata;
    }),
  ),
  'upsert-updated-200': on(UPSERT, status(200, 201)),
  'upsert-updated-same-memory': on('GET /api/memories/*', changes('content', 'before')),
  'upsert-updated-merges-metadata': on(UPSERT, keepsOldText),
  'upsert-updated-is-embedded-again': on(
    'POST /api/memories/search',
    memories((list) => list.map((memory) => ({ ...memory, score: 0.5 }))),
  ),
  'scope-in-records': on(
    'GET /api/memories/recent',
    memories((list) => list.map(({ scope, ...memory }) => memory)),
  ),
  'upsert-scope-source': on(UPSERT, overlooks('scope')),
  'upsert-scope-project': on(UPSERT, overlooks('scope')),
  'upsert-scope-absent': on(UPSERT, overlooks('scope')),
  'upsert-scope-same': on(UPSERT, tellsKeysApart),
  'upsert-deleted-404': on(UPSERT, tellsKeysApart),
  'upsert-content-conflict-409': on(
    UPSERT,
    sending(({ body: sent }) => {
      sent.content = `${String(sent.content)} ${Math.random()}`;
    }),
  ),
  'upsert-content-conflict-on-change-409': on(UPSERT, status(409, 422)),
  'upsert-no-near-duplicates': on(
    UPSERT,
    sending(({ body: sent }) => {
      sent.content = String(sent.content).toLowerCase().replace(/\s+/g, ' ');
    }),
  ),
  'upsert-key-is-required': on(
    UPSERT,
    sending(({ body: sent }) => {
      sent.externalKey = 'a default';
    }),
  ),
  'upsert-content-is-required': on(
    UPSERT,
    sending(({ body: sent }) => {
      sent.content ??= `text ${Math.random()}`;
    }),
  ),
  'upsert-scope-is-an-object': on(UPSERT, overlooks('scope')),
  'upsert-is-one-active-row': on(UPSERT, async (sent, forward) =>
    sent.body.externalKey ? tellsKeysApart(sent, forward) : pretends(422, INVALID)(sent, forward),
  ),
};
