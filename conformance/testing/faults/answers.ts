import { answering, body, type Fault, on, overlooks, refusal, sending, status } from '../fault.js';

const INGEST = 'POST /api/memories';
const UPSERT = 'PUT /api/memories';
const RECENT = 'GET /api/memories/recent';
const BATCH = 'POST /api/memories/batch';
const PATCH = 'PATCH /api/memories/*';

/** Accepts content that the scan would reject. */
const hidesFromScan = (text: unknown) =>
  String(text)
    .replace(/AKIA\w+/, 'a key')
    .replace(/(\d{4} ){3}\d{4}/, 'a card')
    .replace(/\S+@\S+/, 'an address');
const scansNothing = sending(({ body: sent }) => {
  sent.content = hidesFromScan(sent.content);
  if (sent.metadata)
    sent.metadata = JSON.parse(hidesFromScan(JSON.stringify(sent.metadata)).replace(/an address/, 'x"}}'));
});
const answersWith = (name: string, value: unknown): Fault =>
  refusal((json) => {
    json[name] = value;
  });
const header = (name: string, value: string): Fault => answering(({ headers }) => headers.set(name, value));

export const errorFaults: Readonly<Record<string, Fault>> = {
  'error-has-text-and-code': on(INGEST, answersWith('code', 'Unprocessable Entity')),
  'error-names-the-field': on(INGEST, answersWith('details', [])),
  'error-hides-what-was-sent': on(
    INGEST,
    refusal((json, sent) => {
      json.error = `not valid: ${JSON.stringify(sent.body)}`;
    }),
  ),
  'error-invalid-json-400': on(INGEST, status(400, 422)),
  'error-body-is-an-object': on(INGEST, status(422, 400)),
  'error-media-type-415': on(
    INGEST,
    sending(({ headers }) => {
      headers['content-type'] = 'application/json';
    }),
  ),
  'error-content-encoding-415': on(
    INGEST,
    refusal((json) => {
      json.error = 'Send JSON';
    }),
  ),
  'error-payload-too-large-413': on(
    INGEST,
    sending(({ body: sent }) => {
      sent.content = String(sent.content).slice(0, 1_000_000);
    }),
  ),
  'error-batch-too-large-names-maximum': on(BATCH, answersWith('max', 1)),
  'error-unknown-path-404': on('GET /api/nothing-here', status(404, 200)),
  'error-method-405': on('DELETE /api/memories', status(405, 404)),
  'answer-has-request-id': on(RECENT, header('x-request-id', 'always-the-same')),
  'answer-is-not-kept': on(RECENT, header('cache-control', 'public')),
};

export const healthFaults: Readonly<Record<string, Fault>> = {
  'health-live': on('GET /health/live', status(200, 401)),
  'health-ready': on(
    'GET /health/ready',
    body((json) => {
      json.status = 'degraded';
    }),
  ),
  'contract-is-served': on('GET /openapi.yaml', header('x-service-version', '0.0.0')),
  'contract-is-not-sent-twice': on('GET /openapi.json', status(304, 200)),
  'contract-has-every-operation': on(
    'GET /openapi.json',
    body((json) => {
      delete (json.paths as Record<string, unknown>)['/api/memories/search'];
    }),
  ),
};

export const contentScanFaults: Readonly<Record<string, Fault>> = {
  'scan-rejects-api-key': on(INGEST, scansNothing),
  'scan-rejects-card': on(INGEST, answersWith('code', 'validation_failed')),
  'scan-rejects-email': on(
    INGEST,
    refusal((json, sent) => {
      json.error = `found ${String(sent.body.content)}`;
    }),
  ),
  'scan-of-upsert': on(UPSERT, scansNothing),
  'scan-of-update': on(PATCH, scansNothing),
  'scan-of-batch-items': on(
    BATCH,
    body((json) => {
      json.summary = { ok: 2, failed: 0 };
    }),
  ),
  'scan-of-metadata': on(INGEST, overlooks('metadata')),
  'scan-stores-nothing': on(INGEST, async (sent, forward) => {
    const refused = await forward(sent);
    await forward({ ...sent, body: { ...sent.body, content: 'what was found was cut out' } });
    return refused;
  }),
  'scan-lets-plain-text-pass': on(INGEST, status(201, 422)),
};
