import { answering, body, type Fault, on, overlooks, pretends, sending, status } from '../fault.js';

const AUDIT = 'GET /api/organization/audit-events';
const AUDIT_EXPORT = 'GET /api/organization/audit-events/export';
const TOKENS = '/api/organization/tokens';
const USAGE = 'GET /api/organization/usage';
const INVALID = { error: 'no', code: 'validation_failed' };

type Json = Record<string, unknown>;

const listed = (name: string, change: (list: Json[]) => Json[]): Fault =>
  body((json) => {
    if (Array.isArray(json[name])) json[name] = change(json[name] as Json[]);
  });
const events = (change: (list: Json[]) => Json[]): Fault => on(AUDIT, listed('auditEvents', change));
const eachEvent = (change: (event: Json) => Json): Fault => events((list) => list.map(change));
/** Counts whatever happens, and by so many. */
const counts = (meter: 'ingest' | 'search' | 'storage', step: number): Fault => {
  let used = 0;
  return on(
    USAGE,
    body((json) => {
      used += step;
      json[meter] = { used, cap: null };
    }),
  );
};

export const auditFaults: Readonly<Record<string, Fault>> = {
  'audit-of-ingest': events(() => []),
  'audit-of-upsert': events(() => []),
  'audit-of-update': eachEvent(({ memoryId, ...event }) => event),
  'audit-of-delete': on(AUDIT, overlooks('action')),
  'audit-of-batch': eachEvent(({ batchId, ...event }) => event),
  'audit-outcome': eachEvent((event) => ({ ...event, metadata: {} })),
  'audit-actor-is-token': eachEvent((event) => ({ ...event, actor: { type: 'user', id: 'somebody' } })),
  'audit-holds-no-content': answersWithContent(),
  'audit-of-success-alone': events((list) => [...list, { ...list[0], action: 'memory.update' }]),
  'audit-of-own-organization': on(AUDIT, overlooks('memoryId')),
  'audit-pages': on(AUDIT, overlooks('cursor')),
  'audit-of-tools': eachEvent((event) => ({ ...event, source: 'rest' })),
};

export const auditExportFaults: Readonly<Record<string, Fault>> = {
  'audit-of-several-actions': on(AUDIT, overlooks('action')),
  'audit-by-source': on(AUDIT, overlooks('source')),
  'audit-names-actors': eachEvent((event) => ({ ...event, actor: { type: 'token', id: 'x', name: 'x', email: 'x' } })),
  'audit-export-lines': on(AUDIT_EXPORT, overlooks('cursor')),
  'audit-export-csv': on(
    AUDIT_EXPORT,
    answering((returned) => {
      returned.text = returned.text.replaceAll('\r\n', '\n');
    }),
  ),
  'audit-export-accept': on(AUDIT_EXPORT, (sent, forward) => {
    const { accept: _, ...headers } = sent.headers;
    return forward({ ...sent, headers });
  }),
  'audit-export-no-formulas': on(
    AUDIT_EXPORT,
    answering((returned) => {
      returned.text = returned.text.replaceAll(",'=", ',=');
    }),
  ),
};

/** Keeps in the log what was written. */
function answersWithContent(): Fault {
  const written: unknown[] = [];
  return async (sent, forward) => {
    if (sent.path.startsWith('/api/memories')) written.push(sent.body);
    const keep = eachEvent((event) => ({ ...event, metadata: { outcome: 'created', written } }));
    return keep(sent, forward);
  };
}

/** Returns the same metrics whatever happens. */
const keepsMetrics = (): Fault => {
  let first: string | undefined;
  return on(
    'GET /metrics',
    answering((returned) => {
      first ??= returned.text;
      returned.text = first;
    }),
  );
};

export const metricFaults: Readonly<Record<string, Fault>> = {
  'inbound-dropped-counts-as-failed': keepsMetrics(),
  'inbound-dropped-uses-nothing': counts('ingest', 1),
  'metrics-of-the-operator': on('GET /metrics', (sent, forward) => {
    const { 'x-forwarded-for': _, ...headers } = sent.headers;
    return forward({ ...sent, headers });
  }),
};

export const tokenFaults: Readonly<Record<string, Fault>> = {
  'token-wildcard': on(
    `POST ${TOKENS}`,
    sending(({ body: sent }) => {
      sent.abilities = ['memory:search', 'memory:ingest'];
    }),
  ),
  'tokens-work-when-made': on('GET /api/memories/recent', status(200, 403)),
  'tokens-are-bound': on(
    `POST ${TOKENS}`,
    body((json) => {
      json.abilities = ['memory:search'];
    }),
  ),
  'tokens-are-shown-once': keepsTokens(),
  'tokens-revoked-are-listed': on(`GET ${TOKENS}`, overlooks('includeRevoked')),
  'tokens-show-their-first-use': on(
    `GET ${TOKENS}`,
    listed('tokens', (list) => list.map(({ lastUsedAt, ...token }) => token)),
  ),
  'tokens-are-seen-by-owners': on(
    `GET ${TOKENS}`,
    listed('tokens', () => []),
  ),
  'tokens-are-revoked': on(`DELETE ${TOKENS}/*`, pretends(204)),
  'tokens-of-others-404': on(`DELETE ${TOKENS}/*`, status(404, 403)),
  'tokens-unknown-ability-422': on(
    `POST ${TOKENS}`,
    sending(({ body: sent }) => {
      sent.abilities = ['memory:search'];
    }),
  ),
  'tokens-of-a-person-409': on(`POST ${TOKENS}`, status(409, 422)),
  'management-needs-its-ability': on('GET /api/organization/members', status(403, 404)),
  'members-are-listed': on(
    'GET /api/organization/members',
    listed('members', (list) => list.filter(({ role }) => role !== 'owner')),
  ),
};

/** Shows tokens whenever they are listed. */
function keepsTokens(): Fault {
  const made = new Map<unknown, unknown>();
  return async (sent, forward) => {
    const returned = await forward(sent);
    if (returned.json?.token) made.set(returned.json.id, returned.json.token);
    const tokens = (returned.json?.tokens ?? []) as Json[];
    for (const token of tokens) token.name = made.get(token.id) ?? token.name;
    return returned;
  };
}

export const usageFaults: Readonly<Record<string, Fault>> = {
  'usage-of-ingest': counts('ingest', 0),
  'usage-of-replay': counts('ingest', 1),
  'usage-of-refused': counts('ingest', 1),
  'usage-of-batch': counts('ingest', 3),
  'usage-of-search': counts('search', 0),
  'usage-of-export': counts('search', 0),
  'usage-of-stats': counts('search', 2),
  'usage-of-changes': counts('search', 0),
  'usage-of-recent': counts('search', 0),
  'usage-of-get': counts('search', 2),
  'usage-of-storage': counts('storage', 0),
  'usage-by-day': on(
    'GET /api/organization/usage/days',
    listed('days', (list) => list.map((day) => ({ ...day, replayed: 0 }))),
  ),
};

export const rateLimitFaults: Readonly<Record<string, Fault>> = {
  'rate-limit-class-ingest': on('POST /api/memories/batch', header('x-ratelimit-remaining', '999999')),
  'rate-limit-class-search': on('GET /api/memories/export', header('x-ratelimit-limit', '7')),
  'rate-limit-class-admin': on('DELETE /api/memories/*', header('x-ratelimit-remaining', '1000000')),
  'rate-limit-ingest-429': on(
    'POST /api/memories',
    answering(({ headers }) => headers.delete('retry-after')),
  ),
  'rate-limit-search-429': on('GET /api/memories/*', (sent, forward) => status(429, 404)(sent, forward)),
  'rate-limit-admin-429': on(
    'DELETE /api/memories/*',
    answering(({ json }) => {
      if (json) json.code = 'quota_exceeded';
    }),
  ),
  'operations-limited-ingest-429': on('PUT /api/memories', status(429, 422)),
  'operations-limited-search-429': on('GET /api/organization/usage', status(429, 503)),
  'operations-limited-admin-429': on('POST /api/organization/tokens', status(429, 422)),
  'rate-limit-values': on('GET /api/memories/*', header('x-ratelimit-limit', '120')),
  'rate-limit-per-minute': on('GET /api/memories/*', header('ratelimit-policy', '"search";q=120;w=3600')),
  'rate-limit-per-credential': on('GET /api/memories/*', status(404, 429)),
  'rate-limit-of-a-person': on(
    'GET /api/memories/*',
    answering((returned) => {
      if (returned.headers.get('ratelimit-policy')?.includes('person')) returned.status = 404;
    }),
  ),
  'rate-limit-of-tools': on('POST /mcp', async (sent, forward) => {
    const returned = await forward(sent);
    const result = { isError: true, structuredContent: { error: 'Not found' } };
    return { ...returned, json: { ...returned.json, result } };
  }),
};

function header(name: string, value: string): Fault {
  return answering(({ headers }) => headers.set(name, value));
}

const WRITES = {
  ingest: 'POST /api/memories',
  upsert: 'PUT /api/memories',
  batch: 'POST /api/memories/batch',
  update: 'PATCH /api/memories/*',
  alias: 'PUT /api/memories/*',
  delete: 'DELETE /api/memories/*',
};
const READS = {
  search: 'POST /api/memories/search',
  export: 'GET /api/memories/export',
  stats: 'GET /api/memories/stats',
  changes: 'GET /api/memories/changes',
  recent: 'GET /api/memories/recent',
};
const OPERATIONS: Record<string, string> = { ...WRITES, ...READS };

/** For each operation that one refusal is checked of, the answer of a deployment that overlooks it. */
function overlooked(id: string, refused: number, names: readonly string[]): Record<string, Fault> {
  return Object.fromEntries(
    names.map((name) => [`${id}-${name}-${refused}`, on(OPERATIONS[name] ?? '', pretends(422, INVALID))]),
  );
}

export const billingFaults: Readonly<Record<string, Fault>> = {
  ...overlooked('billing-unpaid', 402, Object.keys(WRITES)),
  'billing-unpaid-reads': on(READS.stats, status(200, 402)),
  'billing-unpaid-tool': on(
    'POST /mcp',
    answering(({ json }) => {
      if (json) json.result = { structuredContent: { outcome: 'created' } };
    }),
  ),
  ...overlooked('billing-unknown-price', 503, ['ingest', 'upsert', 'batch']),
  'billing-unknown-price-get': on('GET /api/memories/*', status(404, 503)),
  ...overlooked('billing-unconfigured', 503, Object.keys(WRITES)),
  'billing-unconfigured-reads': on(READS.recent, status(200, 503)),
  ...overlooked('quota', 429, ['ingest', 'upsert', ...Object.keys(READS)]),
  'billing-events-are-signed': on('POST /webhooks/billing', status(401, 200)),
  'billing-portal-needs-a-session': on('POST /api/organization/subscription/portal-links', status(401, 403)),
  'quota-batch-items': on(WRITES.batch, pretends(422, INVALID)),
  'quota-get-is-free': on('GET /api/memories/*', status(404, 429)),
  'quota-tells-when-it-resets': on(
    READS.search,
    answering(({ json }) => {
      if (json) json.resetsAt = '2020-01-01T00:00:00.000000Z';
    }),
  ),
};
