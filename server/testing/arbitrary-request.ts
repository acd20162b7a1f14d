import fc from 'fast-check';
import type { OperationId } from '../http/wire.js';
import { SAMPLE_REQUESTS } from './requests.js';

const FIELDS = [
  ...[
    'content',
    'metadata',
    'externalKey',
    'subjectKey',
    'scope',
    'items',
    'continueOnError',
    'metadataReplace',
    'query',
  ],
  ...[
    'limit',
    'filter',
    'includeDeleted',
    'minScore',
    'recencyWeight',
    'recencyHalflifeDays',
    'mode',
    'exact',
    'subjectKeyType',
  ],
  ...[
    'semanticDedupe',
    'source',
    'project',
    'kind',
    'match',
    'documentId',
    'chunkIndex',
    'chunkTotal',
    'since',
    'cursor',
  ],
  ...['__proto__', 'constructor', 'toString', '', 'colour'],
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE'];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/json; charset=latin1',
  '',
];
const TIMES = ['2026-01-01', '2026-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z', '0001-01-01', '2026-02-30'];

const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    'e\u0301'.repeat(31),
    '\u0301'.repeat(40),
    'true',
    '1',
    'null',
    'k',
    ...TIMES,
  ),
);
const scalar = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constantFrom(null, 2 ** 53, -0, 1.5, 1e308));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), word), tie('value')), { maxLength: 5 }).map(toObject),
  ),
}));

const object = fc.dictionary(fc.oneof(word, fc.constantFrom('kind', 'externalKey', 'chunkIndex', '__proto__')), value, {
  maxKeys: 4,
});
const syntax = fc.stringMatching(/^[a-c"'*()^:+\-.,%_{}ANDORTE ]{1,16}$/);
const text = fc.oneof({ weight: 3, arbitrary: syntax }, word);
const filter = fc.record(
  { kind: text, match: fc.dictionary(text, scalar, { maxKeys: 3 }), subjectKey: text },
  { requiredKeys: [] },
);
const boolean = fc.constantFrom(true, false, 'true', '0');
const memory = {
  content: text,
  metadata: object,
  externalKey: text,
  scope: fc.record({ source: text }),
  subjectKey: text,
};

/** Members that operations take, of the types that they take. */
const plausible = fc.record(
  {
    ...memory,
    items: fc.array(fc.record(memory, { requiredKeys: ['content'] }), { minLength: 1, maxLength: 4 }),
    continueOnError: boolean,
    metadataReplace: boolean,
    query: text,
    mode: fc.constantFrom('vector', 'keyword', 'hybrid'),
    exact: boolean,
    filter,
    limit: fc.integer({ min: 1, max: 50 }),
    includeDeleted: boolean,
    minScore: fc.double({ min: 0, max: 1, noNaN: true }),
    recencyWeight: fc.double({ min: 0, max: 1, noNaN: true }),
    recencyHalflifeDays: fc.double({ min: 0, max: 3_650, noNaN: true, minExcluded: true }),
    semanticDedupe: fc.boolean(),
  },
  { requiredKeys: [] },
);

const TAKEN: Readonly<Partial<Record<OperationId, readonly string[]>>> = {
  ingestMemory: Object.keys(memory),
  upsertMemory: Object.keys(memory),
  ingestMemoryBatch: ['items', 'continueOnError'],
  updateMemory: ['content', 'metadata', 'metadataReplace', 'subjectKey'],
  updateMemoryAlias: ['content', 'metadata', 'metadataReplace', 'subjectKey'],
  searchMemories: [
    'query',
    'mode',
    'filter',
    'limit',
    'includeDeleted',
    'minScore',
    'recencyWeight',
    'recencyHalflifeDays',
    'exact',
  ],
  updateOrganizationSettings: ['semanticDedupe'],
};

/** The sample of the operation with some of its members exchanged, or something else altogether. */
const body = (id: OperationId) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: plausible.map((members) =>
        mutated(
          id,
          Object.entries(members).filter(([name]) => TAKEN[id]?.includes(name)),
        ),
      ),
    },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...FIELDS), value), { maxLength: 4 })
        .map((changes) => mutated(id, changes)),
    },
    { weight: 2, arbitrary: value.map((any) => JSON.stringify(any)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((depth) => '[{"a":'.repeat(depth)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const parameter = fc.tuple(
  fc.oneof(
    fc.constantFrom(...FIELDS, 'filter[kind]', 'filter[subjectKey]', 'filter[match][k]', 'filter[', 'filter[]'),
    word,
  ),
  fc.oneof(
    word,
    value.map((any) => JSON.stringify(any) ?? ''),
  ),
);
const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  filter.map((given) => `filter=${encodeURIComponent(JSON.stringify(given).toWellFormed())}`),
  fc.array(parameter, { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs.map(wellFormed)).toString()),
  fc.stringMatching(/^[!-~]{0,30}$/),
);
const memoryId = fc.oneof(
  word.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.stringMatching(/^[!-~]{1,20}$/),
);
const headers = fc.record(
  {
    'content-type': fc.constantFrom(...TYPES),
    'x-organization-id': fc.oneof(fc.uuid(), fc.stringMatching(/^[ -~]{0,20}$/)),
    'x-request-id': fc.stringMatching(/^[ -~]{0,70}$/),
    authorization: fc.stringMatching(/^[ -~]{0,60}$/),
  },
  { requiredKeys: [] },
);

export interface ArbitraryRequest {
  id: OperationId;
  method: string;
  body: string | Buffer | undefined;
  query: string;
  /** In the place of the id in the path, where there is one; percent-encoded. */
  memoryId: string | undefined;
  headers: Partial<Record<string, string>>;
}

/** A request to any operation: right, nearly right, or nothing of the kind. */
export const arbitraryRequest: fc.Arbitrary<ArbitraryRequest> = fc
  .constantFrom(...(Object.keys(SAMPLE_REQUESTS) as OperationId[]))
  .chain((id) =>
    fc.record({
      id: fc.constant(id),
      method: fc.oneof({ weight: 9, arbitrary: fc.constant(SAMPLE_REQUESTS[id].method) }, fc.constantFrom(...METHODS)),
      body: body(id),
      query,
      memoryId: fc.option(memoryId, { nil: undefined, freq: 1 }),
      headers: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, headers),
    }),
  );

function mutated(id: OperationId, changes: [string, unknown][]): string {
  return JSON.stringify(toObject([...Object.entries(SAMPLE_REQUESTS[id].body ?? {}), ...changes]));
}

/** With `__proto__` as a member like any other. */
function toObject(entries: readonly (readonly [string, unknown])[]): object {
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

function wellFormed([name, given]: [string, string]): [string, string] {
  return [name.toWellFormed(), given.toWellFormed()];
}
