import { answering, body, type Fault, memories, on, overlooks, pretends, refusal, sending, status } from '../fault.js';

const GET = 'GET /api/memories/*';
const PATCH = 'PATCH /api/memories/*';
const DELETE = 'DELETE /api/memories/*';
const SEARCH = 'POST /api/memories/search';
const MEMORY = {
  id: '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11',
  content: 'x',
  metadata: {},
  createdAt: '2026-03-02T09:15:04.120331Z',
  updatedAt: '2026-03-02T09:15:04.120331Z',
};

const sets = (name: string, value: unknown): Fault =>
  body((json) => {
    json[name] = value;
  });
const tellsWhy = refusal((json) => {
  json.error = 'This memory belongs to somebody else';
});
/** Accepts the write and does nothing. */
const forgets: Fault = (_sent, _forward) => pretends(200, { ...MEMORY, outcome: 'updated' })(_sent, _forward);
const sameScore = on(
  SEARCH,
  memories((list) => list.map((memory) => ({ ...memory, score: 0.5 }))),
);
const always = (name: string): Fault =>
  sending(({ query, body: sent, method }) => {
    if (method === 'GET') query.set(name, 'true');
    else sent[name] = true;
  });
const counts = (filtered: number): Fault =>
  body((json) => {
    json.meta = { total: 100, filtered };
  });

/** Rejects content that ever existed. */
function remembersContent(ever: Set<unknown>): Fault {
  return async (sent, forward) => {
    if (ever.has(sent.body.content)) return pretends(200, { ...MEMORY, outcome: 'deduplicated' })(sent, forward);
    ever.add(sent.body.content);
    return forward(sent);
  };
}

export const getFaults: Readonly<Record<string, Fault>> = {
  'get-returns-record': on(GET, sets('metadata', { kind: 'note' })),
  'get-unknown-404': on(GET, status(404, 422)),
  'get-malformed-404': on(GET, (sent, forward) =>
    sent.path.endsWith('not-a-uuid')
      ? pretends(422, { error: 'no', code: 'validation_failed' })(sent, forward)
      : forward(sent),
  ),
  'get-foreign-404': on(GET, tellsWhy),
  'get-deleted-404': on(GET, always('includeDeleted')),
  'get-active-has-no-deleted-at': on(GET, sets('deletedAt', '2026-03-02T09:15:04.120331Z')),
  'get-has-no-outcome': on(GET, sets('outcome', 'created')),
  'get-has-no-vector': on(GET, sets('embedding', [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])),
};

export const updateFaults: Readonly<Record<string, Fault>> = {
  'update-200': on(PATCH, sets('outcome', 'deduplicated')),
  'update-without-change-keeps-updated-at': on(PATCH, sets('updatedAt', '2099-01-01T00:00:00.000000Z')),
  'update-replaces-content': on(PATCH, forgets),
  'update-keeps-the-rest': on(
    GET,
    body((json) => delete json.externalKey),
  ),
  'update-is-embedded-again': sameScore,
  'update-merges-metadata': on(PATCH, always('metadataReplace')),
  'update-replaces-metadata': on(PATCH, overlooks('metadataReplace')),
  'update-sets-subject-key': on(
    GET,
    body((json) => delete json.subjectKey),
  ),
  'update-of-nothing-422': on(PATCH, forgets),
  'update-by-put': on('PUT /api/memories/*', always('metadataReplace')),
  'update-by-put-refuses-alike': on('PUT /api/memories/*', overlooks('content')),
  'update-content-conflict-409': on(
    PATCH,
    sending(({ body: sent }) => {
      sent.content = `${String(sent.content)} ${Math.random()}`;
    }),
  ),
  'update-conflict-changes-nothing': on(PATCH, async (sent, forward) => {
    const { content, ...others } = sent.body;
    const refused = await forward(sent);
    await forward({ ...sent, body: others });
    return refused;
  }),
  'update-to-same-content': on(PATCH, status(200, 409)),
  'update-moves-updated-at': on(
    PATCH,
    body((json) => {
      json.updatedAt = json.createdAt;
    }),
  ),
  'update-unknown-404': on(PATCH, forgets),
  'update-deleted-404': on(PATCH, forgets),
  'update-content-null-422': on(PATCH, forgets),
};

export const deleteFaults: Readonly<Record<string, Fault>> = {
  'delete-204-empty': on(DELETE, status(204, 200)),
  'delete-sets-deleted-at': on(
    GET,
    body((json) => delete json.deletedAt),
  ),
  'delete-unknown-404': on(DELETE, pretends(204)),
  'delete-twice-404': on(
    DELETE,
    answering((returned) => {
      if (returned.status !== 404) return;
      returned.status = 204;
      returned.json = undefined;
      returned.text = '';
    }),
  ),
  'delete-frees-content': on('POST /api/memories', remembersContent(new Set())),
  'delete-hides-from-recent': on('GET /api/memories/recent', always('includeDeleted')),
  'delete-hides-from-search': on(SEARCH, always('includeDeleted')),
  'delete-hides-from-export': on('GET /api/memories/export', always('includeDeleted')),
  'delete-hides-from-stats': on('GET /api/memories/stats', always('includeDeleted')),
  'delete-hides-from-changes': on('GET /api/memories/changes', always('includeDeleted')),
  'delete-shown-in-recent': on('GET /api/memories/recent', overlooks('includeDeleted')),
  'delete-shown-in-search': on(SEARCH, overlooks('includeDeleted')),
  'delete-shown-in-export': on('GET /api/memories/export', overlooks('includeDeleted')),
  'delete-shown-in-stats': on('GET /api/memories/stats', counts(1)),
  'delete-shown-in-changes': on('GET /api/memories/changes', overlooks('includeDeleted')),
};
