import { all, answering, body, type Fault, on, refusal, status } from '../fault.js';

const RECENT = 'GET /api/memories/recent';
const HEADER = 'x-organization-id';
const INGEST = 'POST /api/memories';
const UPSERT = 'PUT /api/memories';
const BATCH = 'POST /api/memories/batch';
const SEARCH = 'POST /api/memories/search';
const ONE = '/api/memories/*';

/** Treats any credential as the first one. */
function overlooksCredential(operation: string): Fault {
  let owner: string | undefined;
  return (sent, forward) => {
    owner ??= sent.headers.authorization;
    const isHere = new RegExp(`^${operation.replaceAll('*', '[^/]+')}$`).test(`${sent.method} ${sent.path}`);
    return forward(isHere && owner ? { ...sent, headers: { ...sent.headers, authorization: owner } } : sent);
  };
}

/** Answers one tenant with data of another. */
function leaks(operation: string): Fault {
  const seen: string[] = [];
  return (sent, forward) => {
    const { authorization = '' } = sent.headers;
    if (!seen.includes(authorization)) seen.push(authorization);
    const isHere = new RegExp(`^${operation.replaceAll('*', '[^/]+')}$`).test(`${sent.method} ${sent.path}`);
    const other = seen.find((token) => token !== authorization);
    return forward(isHere && other ? { ...sent, headers: { ...sent.headers, authorization: other } } : sent);
  };
}

const overlooksHeader: Fault = (sent, forward) => {
  const { [HEADER]: _, ...headers } = sent.headers;
  return forward({ ...sent, headers });
};
const tellsForeignFromUnknown: Fault = answering((returned, { headers }) => {
  if (returned.json && !headers[HEADER]?.startsWith('00000000')) returned.json.error = 'This organization is not yours';
});

export const credentialFaults: Readonly<Record<string, Fault>> = {
  'token-is-required': on(RECENT, status(401, 200)),
  'token-unknown-401': on(RECENT, status(401, 403)),
  'token-scheme-is-bearer': on(RECENT, (sent, forward) => {
    const key = sent.headers['x-api-key'];
    return forward(key ? { ...sent, headers: { authorization: `Bearer ${key}` } } : sent);
  }),
  'token-401-tells-nothing': on(
    RECENT,
    answering((returned, { headers }) => {
      if (returned.json) returned.json.error = headers.authorization ? 'The token is unknown' : 'There is no token';
    }),
  ),
  'token-is-never-echoed': on(
    RECENT,
    answering((returned, { headers }) => {
      if (returned.json) returned.json.error = `unknown: ${headers.authorization}`;
    }),
  ),
  'ability-of-ingest': overlooksCredential(INGEST),
  'ability-of-upsert': overlooksCredential(UPSERT),
  'ability-of-batch': overlooksCredential(BATCH),
  'ability-of-search': overlooksCredential(SEARCH),
  'ability-of-get': overlooksCredential(`GET ${ONE}`),
  'ability-of-similar': overlooksCredential(`GET ${ONE}/similar`),
  'ability-of-documents': overlooksCredential('GET /api/documents'),
  'ability-of-document': overlooksCredential('GET /api/documents/*'),
  'ability-of-document-delete': overlooksCredential('DELETE /api/documents/*'),
  'ability-of-export': overlooksCredential('GET /api/memories/export'),
  'ability-of-stats': overlooksCredential('GET /api/memories/stats'),
  'ability-of-changes': overlooksCredential('GET /api/memories/changes'),
  'ability-of-recent': overlooksCredential(RECENT),
  'ability-of-update': overlooksCredential(`PATCH ${ONE}`),
  'ability-of-delete': overlooksCredential(`DELETE ${ONE}`),
};

export const organizationFaults: Readonly<Record<string, Fault>> = {
  'isolation-of-recent': leaks(RECENT),
  'isolation-of-search': leaks(SEARCH),
  'isolation-of-export': leaks('GET /api/memories/export'),
  'isolation-of-stats': on(
    'GET /api/memories/stats',
    body((json) => {
      json.meta = { total: 9, filtered: 2 };
    }),
  ),
  'isolation-of-changes': leaks('GET /api/memories/changes'),
  'isolation-of-updates': leaks(`PATCH ${ONE}`),
  'isolation-of-duplicates': leaks(INGEST),
  'isolation-of-external-keys': leaks(UPSERT),
  'isolation-of-cursors': all(
    leaks('GET /api/memories/export'),
    answering((returned) => {
      if (returned.status === 422) returned.status = 200;
    }),
  ),
  'organization-header-accepted': on(RECENT, status(200, 403)),
  'organization-header-unknown-403': on(RECENT, overlooksHeader),
  'organization-header-malformed-403': on(RECENT, overlooksHeader),
  'organization-header-foreign-403': on(RECENT, tellsForeignFromUnknown),
  'organization-header-for-writes': on(INGEST, overlooksHeader),
  'organization-before-ability': on(
    RECENT,
    refusal((json) => {
      json.code = 'ability_denied';
    }),
  ),
};
