import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse, parseDocument, visit } from 'yaml';

type Json = Record<string, unknown>;

interface Media {
  schema: Json;
  /** References to `components/examples`. */
  examples?: Record<string, Json>;
  /** Schema of each line of the body. */
  'x-line-schema'?: Json;
}

interface Described {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

interface Operation extends Json {
  /** Lower case. */
  method: string;
  operationId: string;
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: unknown[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** Ordered as in the specification. These names type both the server and the SDK. */
const OPERATION_IDS = [
  'ingestMemory',
  'upsertMemory',
  'ingestMemoryBatch',
  'importMemories',
  'getMemory',
  'updateMemory',
  'updateMemoryAlias',
  'deleteMemory',
  'restoreMemory',
  'purgeMemory',
  'deleteMemories',
  'listMemoryVersions',
  'restoreMemoryVersion',
  'exportMemories',
  'exportMemoryVersions',
  'getMemoryStats',
  'listMemoryChanges',
  'listRecentMemories',
  'searchMemories',
  'listSimilarMemories',
  'listDocuments',
  'getDocument',
  'deleteDocument',
  'createToken',
  'listTokens',
  'revokeToken',
  'listMembers',
  'updateMember',
  'removeMember',
  'createInvitation',
  'listInvitations',
  'revokeInvitation',
  'acceptInvitation',
  'getInvitationPage',
  'signIn',
  'getSession',
  'signOut',
  'changePassword',
  'requestPasswordReset',
  'resetPassword',
  'createSignInLink',
  'getSignInLink',
  'redeemSignInLink',
  'listSessions',
  'revokeSession',
  'createOrganization',
  'getOrganization',
  'updateOrganization',
  'deleteOrganization',
  'getOrganizationSettings',
  'updateOrganizationSettings',
  'eraseSubject',
  'getSubjectErasure',
  'listMemories',
  'countMemories',
  'listAuditEvents',
  'exportAuditEvents',
  'getUsage',
  'listDailyUsage',
  'getSubscription',
  'createBillingPortalLink',
  'receiveBillingEvent',
  'listInboundWebhooks',
  'createInboundWebhook',
  'getInboundWebhook',
  'updateInboundWebhook',
  'deleteInboundWebhook',
  'rotateInboundWebhookSecret',
  'listInboundDeliveries',
  'receiveCodeHostEvent',
  'receiveTrackerEvent',
  'createOutboundWebhook',
  'listOutboundWebhooks',
  'getOutboundWebhook',
  'updateOutboundWebhook',
  'deleteOutboundWebhook',
  'rotateOutboundWebhookSecret',
  'sendTestEvent',
  'redeliverOutboundDeliveries',
  'listOutboundDeliveries',
  'getOutboundDelivery',
  'redeliverOutboundDelivery',
  'getLiveness',
  'getReadiness',
  'getMetrics',
  'getContractYaml',
  'getContractJson',
];

const text = readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8');
const document: Json = parse(text);
const operations = listOperations();
const secured = operations.filter(({ security = [] }) => security.some(({ bearer }) => bearer));
const ajv = contractAjv();

describe('the document', () => {
  test('resolves every reference in it', () => {
    const references = findAll(document, '$ref') as string[];

    const dangling = references.filter((reference) => lookUp(reference) === undefined);

    expect(references.length).toBeGreaterThan(100);
    expect(dangling).toEqual([]);
  });

  test('has no YAML anchors, which some tools cannot read', () => {
    const anchors: unknown[] = [];

    visit(parseDocument(text), {
      Alias: (_key, { source }) => void anchors.push(source),
      Value: (_key, { anchor }) => void (anchor !== undefined && anchors.push(anchor)),
    });

    expect(anchors).toEqual([]);
  });

  test('keeps its examples in one place, and uses each of them', () => {
    const shown = (findAll(omit(document, 'components.examples'), 'examples') as Record<string, Json>[]).flatMap(
      (examples) => Object.values(examples),
    );
    const kept = Object.keys((document.components as { examples: Json }).examples);

    const references = new Set(shown.map(({ $ref }) => $ref));

    expect(references).toEqual(new Set(kept.map((name) => `#/components/examples/${name}`)));
  });

  test('has one schema for each error code', () => {
    const schemas = Object.entries((document.components as { schemas: Json }).schemas).filter(
      ([name]) => name.endsWith('Error') && name !== 'Error',
    );

    const codes = schemas.flatMap(([, schema]) => (findAll(schema, 'code') as Json[]).map((code) => code.const));
    const inPlace = findAll(omit(document, 'components.schemas'), 'code').filter(isSchema);

    expect(codes).toContain('validation_failed');
    expect(codes).toEqual([...new Set(codes)]);
    expect(inPlace).toEqual([]);
  });

  test('has the version of the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: manifest.version } });
  });

  test('lists each operation once, in the order of the specification', () => {
    expect(operations.map(({ operationId }) => operationId)).toEqual(OPERATION_IDS);
  });

  test('accepts only the JSON booleans as text where a boolean may be text', () => {
    const accepts = compile({ $ref: '#/components/schemas/BooleanInput' });

    expect([true, false, 'true', 'false', '1', '0'].filter((value) => !accepts(value))).toEqual([]);
    expect(['', 'yes', 'TRUE', '01', 1, 0, null, []].filter((value) => accepts(value))).toEqual([]);
  });

  test('accepts any text as an identifier, so that a malformed one gets the 404 of an unknown one', () => {
    expect(lookUp('#/components/parameters/MemoryId')).toMatchObject({ schema: { type: 'string' } });
    expect(lookUp('#/components/parameters/MemoryId')).not.toHaveProperty('schema.format');
  });
});

describe.each(operations)('$operationId', (operation) => {
  const statuses = Object.keys(operation.responses);

  test('has a summary of one line', () => {
    expect(operation.summary).toMatch(/^[^\n]{10,100}$/);
  });

  test('has a valid example for every status with a body', () => {
    const faults = statuses.flatMap((status) => bodyFaults(status, resolve<Described>(operation.responses[status])));

    expect(faults).toEqual([]);
  });

  test('has valid examples of its body and its parameters', () => {
    const body = operation.requestBody === undefined ? {} : resolve<Described>(operation.requestBody);
    const parameters = (operation.parameters ?? []).map((entry) => resolve<Json>(entry));

    const faults = [...contentFaults('body', body), ...parameters.flatMap((entry) => exampleFaults(entry))];

    expect(faults).toEqual([]);
  });

  test('has the request id and the version in every answer', () => {
    const silent = statuses.filter((status) => {
      const headers = Object.keys(resolve<Described>(operation.responses[status]).headers ?? {});
      return !headers.includes('X-Request-Id') || !headers.includes('X-Service-Version');
    });

    expect(silent).toEqual([]);
  });

  test('lists the errors of reading a body if it has one', () => {
    const ofBodies = ['400', '413', '415'].filter((status) => statuses.includes(status));

    expect(ofBodies).toEqual(operation.requestBody === undefined ? [] : ['400', '413', '415']);
  });
});

describe.each(secured)('$operationId, being secured', (operation) => {
  test('accepts tokens with one ability, any token to identify oneself, and otherwise only sessions', () => {
    const ability = expect.stringMatching(/^(memory:(ingest|search|admin)|settings:admin)$/);
    const bearer = operation.operationId === 'getSession' ? [] : [ability];
    const session = operation.method === 'get' ? { session: [] } : { session: [], csrf: [] };

    expect(operation.security).toEqual([{ bearer }, session]);
  });

  test('has a rate-limit class, and lists the errors that come before its own', () => {
    expect(operation['x-rate-limit-class']).toMatch(/^(ingest|search|admin)$/);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403', '422', '429', '503']));
  });

  test('is metered like its rate-limit class, and lists the quota error if it is metered or stores bytes', () => {
    const metered = operation['x-metered'];

    const limited = JSON.stringify(resolve<Described>(operation.responses['429']).content);

    expect([undefined, operation['x-rate-limit-class']]).toContain(metered);
    const mayTakeStorage = ['updateMemory', 'updateMemoryAlias', 'restoreMemory', 'restoreMemoryVersion'];
    expect(limited.includes('QuotaExceededError')).toBe(
      metered !== undefined || mayTakeStorage.includes(operation.operationId),
    );
  });

  test('has a parameter that names the organization', () => {
    expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/OrganizationId' });
  });

  test('rejects unknown fields of its body by name', () => {
    const { content } =
      operation.requestBody === undefined ? { content: undefined } : resolve<Described>(operation.requestBody);

    const open = Object.values(content ?? {}).filter(
      ({ schema }) => resolve<Json>(schema).additionalProperties !== false,
    );

    expect(open).toEqual([]);
  });
});

test('the examples of exports have valid lines', () => {
  const page = findAll(document, 'application/x-ndjson') as Media[];

  const lines = page.flatMap(({ examples, 'x-line-schema': schema }) => {
    const accepts = compile(schema as Json);
    const texts = Object.values(examples ?? {}).flatMap((example) => linesOf(resolve<Json>(example).value));
    return texts.map((text) => ({ text, isValid: accepts(JSON.parse(text)) }));
  });

  expect(lines).toHaveLength(3);
  expect(lines.filter(({ isValid }) => !isValid)).toEqual([]);
});

test('shared answers without an operation have valid examples too', () => {
  const shared = Object.entries((document.components as { responses: Record<string, Described> }).responses);

  expect(shared.flatMap(([name, response]) => contentFaults(name, response))).toEqual([]);
});

test('only health, metrics, the contract, signed requests and sign-in work without a credential', () => {
  const open = operations
    .filter((operation) => operation.security?.length === 0 && operation['x-raw-body'] !== true)
    .map(({ operationId }) => operationId);

  expect(open).toEqual([
    'acceptInvitation',
    'getInvitationPage',
    'signIn',
    'requestPasswordReset',
    'resetPassword',
    'getSignInLink',
    'redeemSignInLink',
    'getLiveness',
    'getReadiness',
    'getMetrics',
    'getContractYaml',
    'getContractJson',
  ]);
});

function listOperations(): Operation[] {
  return Object.values(document.paths as Record<string, Json>).flatMap((path) =>
    Object.keys(path)
      .filter((member) => METHODS.includes(member))
      .map((method) => ({ ...(path[method] as Operation), method }))
      .map((operation) => ({
        ...operation,
        parameters: [...((path.parameters as unknown[]) ?? []), ...(operation.parameters ?? [])],
      })),
  );
}

function linesOf(page: unknown): string[] {
  return String(page)
    .split('\n')
    .filter((line) => line !== '');
}

function contractAjv(): Ajv2020 {
  const made = new Ajv2020({ strict: false, allErrors: true });
  addFormatsModule.default(made);
  made.addSchema({ $id: 'contract', ...document });
  return made;
}

function compile(schema: Json) {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"contract#/')));
}

function bodyFaults(status: string, response: Described): string[] {
  if (['204', '304'].includes(status)) return response.content === undefined ? [] : [`${status} has a body`];
  return response.content === undefined ? [`${status} has no body`] : contentFaults(status, response);
}

function contentFaults(where: string, { content }: Described): string[] {
  return Object.values(content ?? {}).flatMap(({ schema, examples = {} }) => {
    const accepts = compile(schema);
    const faults = Object.entries(examples)
      .filter(([, example]) => !accepts(resolve<Json>(example).value))
      .map(([name]) => `${where}, example ${name}`);
    return Object.keys(examples).length === 0 ? [`${where} has no example`] : faults;
  });
}

function exampleFaults({ name, schema, example, content }: Json): string[] {
  if (content !== undefined) return contentFaults(`parameter ${name}`, { content } as Described);
  return example === undefined || compile(schema as Json)(example) ? [] : [`parameter ${name}`];
}

/** Resolves a reference. Members beside it win. */
function resolve<T>(node: unknown): T {
  const { $ref, ...own } = node as Json;
  return (typeof $ref === 'string' ? { ...(lookUp($ref) as Json), ...own } : node) as T;
}

/** Returns the document without the member at a path of names. */
function omit(node: Json, path: string): Json {
  const [name = '', ...rest] = path.split('.');
  const { [name]: child, ...others } = node;
  return rest.length === 0 ? others : { ...others, [name]: omit(child as Json, rest.join('.')) };
}

function isSchema(node: unknown): boolean {
  return typeof node === 'object' && node !== null;
}

function lookUp(reference: string): unknown {
  const keys = reference.replace(/^#\//, '').split('/');
  return keys.reduce<unknown>((node, key) => (node as Json | undefined)?.[key], document);
}

function findAll(node: unknown, key: string): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = Object.hasOwn(node, key) ? [(node as Json)[key]] : [];
  return [...own, ...Object.values(node).flatMap((child) => findAll(child, key))];
}
