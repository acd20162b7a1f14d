import { accepts, answering, body, type Fault, on, overlooks, refusal, sending, status } from '../fault.js';

const INGEST = 'POST /api/memories';
const UPSERT = 'PUT /api/memories';
const BATCH = 'POST /api/memories/batch';
const PATCH = 'PATCH /api/memories/*';

/** Truncates long content instead of rejecting it. */
const cuts = sending(({ body: sent }) => {
  sent.content = String(sent.content).slice(0, 90_000);
});
const takesAnyMetadata = (...names: readonly string[]) =>
  sending(({ body: sent }) => {
    for (const name of names) delete (sent.metadata as Record<string, unknown>)[name];
  });
const MEMORY = {
  id: '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11',
  content: 'x',
  metadata: {},
  createdAt: '2026-03-02T09:15:04.120331Z',
  updatedAt: '2026-03-02T09:15:04.120331Z',
};
const takesAnything = accepts(422, 201, { ...MEMORY, outcome: 'created' });
const allItemsPass = body((json) => {
  json.summary = { ok: 2, failed: 0 };
});

export const contentFaults: Readonly<Record<string, Fault>> = {
  'content-is-nfc-normalized': on(
    INGEST,
    body((json) => (json.content = String(json.content).normalize('NFD'))),
  ),
  'content-nfc-forms-are-equal': on(
    INGEST,
    sending(({ body: sent }) => (sent.content = String(sent.content).replace('e\u0301', 'e'))),
  ),
  'content-of-maximal-length': on(INGEST, status(201, 422)),
  'content-too-long-ingest-422': on(INGEST, cuts),
  'content-too-long-upsert-422': on(UPSERT, cuts),
  'content-too-long-batch-item': on(BATCH, allItemsPass),
  'content-too-long-update-422': on(PATCH, cuts),
  'content-counted-in-characters': on(INGEST, (sent, forward) =>
    forward(String(sent.body.content).length > 100_000 ? { ...sent, body: { content: '' } } : sent),
  ),
  'content-refused-stores-nothing': on(INGEST, async (sent, forward) => {
    const refused = await forward(sent);
    await forward({ ...sent, body: { ...sent.body, content: String(sent.body.content).slice(0, 100) } });
    return refused;
  }),
  'content-is-required': on(INGEST, takesAnything),
  'content-is-text': on(
    INGEST,
    sending(({ body: sent }) => (sent.content = JSON.stringify(sent.content))),
  ),
  'content-is-not-blank': on(INGEST, takesAnything),
  'content-keeps-white-space': on(
    'GET /api/memories/*',
    body((json) => (json.content = String(json.content).replace(/\s+/g, ' '))),
  ),
  'content-no-unpaired-surrogate': on(INGEST, takesAnything),
};

export const metadataFaults: Readonly<Record<string, Fault>> = {
  'metadata-is-an-object': on(INGEST, overlooks('metadata')),
  'metadata-large-integer-422': on(INGEST, status(422, 201)),
  'metadata-is-optional': on(INGEST, status(201, 422)),
  'metadata-no-external-key': on(INGEST, takesAnyMetadata('externalKey')),
  'metadata-no-subject-key': on(INGEST, takesAnyMetadata('subjectKey')),
  'metadata-no-keys-update': on(PATCH, takesAnyMetadata('externalKey', 'subjectKey')),
  'metadata-no-keys-batch-item': on(BATCH, allItemsPass),
  'metadata-odd-keys': on(
    'GET /api/memories/*',
    body((json) => delete (json.metadata as Record<string, unknown>)['a.b']),
  ),
  'metadata-no-proto': on(INGEST, takesAnything),
  'metadata-size-is-bounded': on(INGEST, takesAnyMetadata('large')),
  'unknown-fields-are-named': on(
    INGEST,
    refusal((json) => delete json.details),
  ),
  'chunk-metadata-complete': on(INGEST, status(201, 422)),
  'chunk-metadata-all-or-none': on(INGEST, takesAnyMetadata('documentId', 'chunkIndex', 'chunkTotal')),
  'chunk-index-in-range': on(
    INGEST,
    sending(({ body: sent }) => ((sent.metadata as Record<string, unknown>).chunkIndex = 0)),
  ),
  'chunk-last-index': on(
    INGEST,
    answering((returned, { body: sent }) => {
      if ((sent.metadata as Record<string, unknown>).chunkIndex === 2) returned.status = 422;
    }),
  ),
  'chunk-is-part-of-identity': on(
    INGEST,
    sending(({ body: sent }) => ((sent.metadata as Record<string, unknown>).chunkIndex = 0)),
  ),
  'chunk-metadata-types': on(
    INGEST,
    sending(({ body: sent }) => (sent.metadata = { documentId: 'x', chunkIndex: 0, chunkTotal: 2 })),
  ),
};
