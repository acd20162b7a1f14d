import { all, answering, type Fault, on, sending, status } from '../fault.js';

const MCP = 'POST /mcp';
const HEADER = 'x-organization-id';

type Params = { name?: string; uri?: string; arguments?: Record<string, unknown> };
type Result = { structuredContent?: Record<string, unknown>; content?: unknown; isError?: boolean };

const paramsOf = (sent: { body: Record<string, unknown> }): Params => (sent.body.params ?? {}) as Params;

/** Changes the results of a tool. */
const tool = (name: string, change: (data: Record<string, unknown>, result: Result) => void): Fault =>
  on(
    MCP,
    answering((returned, sent) => {
      const result = returned.json?.result as Result | undefined;
      if (paramsOf(sent).name === name && result) change(result.structuredContent ?? {}, result);
    }),
  );
/** Changes the arguments of a tool. */
const given = (name: string, change: (values: Record<string, unknown>) => void): Fault =>
  on(
    MCP,
    sending((sent) => {
      const { name: called, arguments: values } = paramsOf(sent);
      if (called === name && values) change(values);
    }),
  );
const forgets = (name: string, ...keys: readonly string[]): Fault =>
  given(name, (values) => {
    for (const key of keys) delete values[key];
  });
/** Treats every caller of the tool as the first caller. */
const overlooksAbility = (name: string): Fault => {
  let owner: string | undefined;
  return (sent, forward) => {
    owner ??= sent.headers.authorization;
    const isHere = paramsOf(sent).name === name && owner !== undefined;
    return forward(isHere ? { ...sent, headers: { ...sent.headers, authorization: owner ?? '' } } : sent);
  };
};
const overlooksHeader: Fault = on(
  MCP,
  sending(({ headers }) => {
    delete headers[HEADER];
  }),
);
/** Reads the resource as whoever it belongs to. */
const opensEveryResource: Fault = on(
  MCP,
  answering((returned, sent) => {
    if (sent.body.method !== 'resources/read') return;
    returned.json = {
      jsonrpc: '2.0',
      id: sent.body.id,
      result: { contents: [{ uri: paramsOf(sent).uri, text: '{}' }] },
    };
  }),
);

export const toolFaults: Readonly<Record<string, Fault>> = {
  'tools-initialize': on(MCP, status(200, 404)),
  'tools-are-listed': on(
    MCP,
    answering(({ json }) => {
      const { tools } = (json?.result ?? {}) as { tools?: unknown[] };
      tools?.pop();
    }),
  ),
  'tool-memory-ingest': tool('memory_ingest', (data) => {
    data.outcome = 'created';
  }),
  'tool-memory-upsert': given('memory_upsert', (values) => {
    values.externalKey = `${String(values.externalKey)}${Math.random()}`;
  }),
  'tool-memory-ingest-batch': tool('memory_ingest_batch', (data) => {
    delete data.summary;
  }),
  'tool-memory-search': forgets('memory_search', 'filter'),
  'tool-memory-stats': forgets('memory_stats', 'filter'),
  'tool-memory-changes': forgets('memory_changes', 'cursor'),
  'tool-memory-recent': forgets('memory_recent', 'filter'),
  'tool-memory-get': tool('memory_get', (data) => {
    data.metadata = {};
  }),
  'tool-memory-update': given('memory_update', (values) => {
    values.metadataReplace = true;
  }),
  'tool-memory-delete': given('memory_delete', (values) => {
    values.id = '00000000-0000-7000-8000-000000000000';
  }),
  'tool-service-health': tool('service_health', (data) => {
    data.status = 'down';
  }),
  'tool-errors-are-results': on(
    MCP,
    answering((returned) => {
      const result = returned.json?.result as Result | undefined;
      if (result?.isError) returned.json = { jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'Not found' } };
    }),
  ),
  'tool-errors-have-codes': tool('memory_upsert', (data) => {
    delete data.code;
  }),
};

export const toolAccessFaults: Readonly<Record<string, Fault>> = {
  'resource-of-document': on(
    MCP,
    answering(({ json }) => {
      const { contents = [] } = (json?.result ?? {}) as { contents?: { text?: string }[] };
      for (const content of contents) content.text = content.text?.split('part 2')[0] ?? '';
    }),
  ),
  'tools-offer-no-oauth': on('GET /.well-known/**', status(404, 200)),
  'tools-need-a-token': on(MCP, status(401, 200)),
  'tools-ability-ingest': overlooksAbility('memory_upsert'),
  'tools-ability-search': overlooksAbility('memory_stats'),
  'tools-ability-admin': overlooksAbility('memory_delete'),
  'tools-organization-header': overlooksHeader,
  'resource-of-other-organization': opensEveryResource,
  'resource-disagrees-with-header': all(overlooksHeader),
  'tools-isolation': tool('memory_get', (_data, result) => {
    result.isError = false;
  }),
};

/** Ignores the header that binds a connection. */
const overlooksBinding: Fault = sending(({ headers }) => {
  delete headers['x-memory-project'];
});

export const boundConnectionFaults: Readonly<Record<string, Fault>> = {
  'bound-write-changes-no-other-project': overlooksBinding,
  'tools-bound-reads': overlooksBinding,
  'tools-bound-writes': overlooksBinding,
  'tools-bound-arguments': overlooksBinding,
};

/** Says one thing otherwise than the operation does. */
const says = (name: string, member: string, value: unknown): Fault =>
  tool(name, (data) => {
    data[member] = value;
  });
const refuses = (name: string): Fault => says(name, 'error', 'That did not work.');

/** Answers every call like this. */
const answersRpc = (reply: Record<string, unknown>): Fault =>
  on(MCP, async (sent) => ({
    status: 200,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: '',
    json: { jsonrpc: '2.0', id: sent.body.id, ...reply },
  }));

export const localToolFaults: Readonly<Record<string, Fault>> = {
  'local-tools-need-no-token': answersRpc({ result: { isError: true, structuredContent: { error: 'no token' } } }),
  'local-resources-of-that-organization': answersRpc({ result: { contents: [] } }),
  'local-rest-needs-a-token': on('GET /api/memories/recent', status(401, 200)),
};

export const toolEquivalenceFaults: Readonly<Record<string, Fault>> = {
  'tool-results-of-ingest': says('memory_ingest', 'outcome', 'created'),
  'tool-results-of-upsert': says('memory_upsert', 'metadata', {}),
  'tool-results-of-ingest-batch': says('memory_ingest_batch', 'summary', { ok: 2, failed: 0 }),
  'tool-results-of-search': tool('memory_search', (data) => {
    for (const result of data.results as Record<string, unknown>[]) delete result.similarity;
  }),
  'tool-results-of-stats': says('memory_stats', 'meta', { total: 2, filtered: 0 }),
  'tool-results-of-changes': forgets('memory_changes', 'limit'),
  'tool-results-of-recent': forgets('memory_recent', 'limit'),
  'tool-results-of-get': says('memory_get', 'createdAt', '2026-03-02T09:15:04.120331Z'),
  'tool-results-of-update': forgets('memory_update', 'metadataReplace'),
  'tool-results-of-delete': given('memory_delete', (values) => {
    values.id = '00000000-0000-7000-8000-000000000000';
  }),
  'tool-results-of-health': says('service_health', 'checks', {}),
  'tool-refusals-of-ingest': refuses('memory_ingest'),
  'tool-refusals-of-upsert': says('memory_upsert', 'code', 'conflict'),
  'tool-refusals-of-ingest-batch': refuses('memory_ingest_batch'),
  'tool-refusals-of-search': says('memory_search', 'details', []),
  'tool-refusals-of-stats': forgets('memory_stats', 'includeDeleted'),
  'tool-refusals-of-changes': refuses('memory_changes'),
  'tool-refusals-of-recent': forgets('memory_recent', 'limit'),
  'tool-refusals-of-get': refuses('memory_get'),
  'tool-refusals-of-update': says('memory_update', 'code', 'not_found'),
  'tool-refusals-of-delete': refuses('memory_delete'),
};
