import { describe, expect, test } from 'vitest';
import { resolveDocument } from '../../contract-compiler/api-document.js';
import { UnprocessableError } from '../../errors.js';
import { loadContract } from './contract.js';
import { PATTERN_WORDS } from './violations.js';

const contract = loadContract();

/** Members of schemas that are not names of fields. */
const SCHEMA_WORDS = ['items', 'properties', 'schema', 'content', 'application/json', 'anyOf', 'allOf', 'then', 'else'];

describe('the 422 of a request', () => {
  test('reports the first twenty faults, and the number of all', () => {
    const body = { content: 'a', ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 1])) };

    const { message, extra } = refusal(body);

    expect(message).toBe('f0 is not a known field (and 29 more)');
    expect(extra.details).toHaveLength(20);
  });

  test('shortens long names of the caller', () => {
    const { message, extra } = refusal({ content: 'a', ['x'.repeat(10_000)]: 1 });

    expect(message.length).toBeLessThan(200);
    expect(JSON.stringify(extra).length).toBeLessThan(300);
  });

  test('reports each choice of an anyOf once', () => {
    const operation = contract.operations.find(({ id }) => id === 'updateMemory');
    const check = () =>
      contract.checkRequest(operation!, { path: { id: 'x' }, query: {}, body: { metadataReplace: 1 } });

    expect(caught(check).extra.details).toEqual([
      { path: '', message: 'must have at least one of content, metadata, subjectKey, expiresAt' },
      {
        path: 'metadataReplace',
        message: 'must be a boolean or one of "true", "false", "1", "0"',
      },
    ]);
  });

  test('lists the types that a value may have', () => {
    const operation = contract.operations.find(({ id }) => id === 'searchMemories');
    const body = { query: 'a', filter: { where: { n: { gt: true, eq: {}, in: [] } } } };
    const check = () => contract.checkRequest(operation!, { path: {}, query: {}, body });

    expect(caught(check).extra.details).toEqual([
      { path: 'filter.where.n.eq', message: 'must be a string or a number or a boolean or null' },
      { path: 'filter.where.n.in', message: 'must have at least 1 item' },
      { path: 'filter.where.n.gt', message: 'must be a string or a number' },
    ]);
  });

  test.each([
    ['ingestMemory', { content: '' }, 'must have at least 1 character'],
    ['searchMemories', { query: 'a', limit: 0 }, 'must be at least 1'],
    ['searchMemories', { query: 'a', limit: 1_000 }, 'must be at most 50'],
    ['createToken', { name: 'n'.repeat(101), abilities: ['*'] }, 'must have at most 100 characters'],
    ['updateOrganizationSettings', {}, 'must have at least 1 key'],
    ['importMemories', { items: [] }, 'must have at least 1 item'],
    [
      'createInboundWebhook',
      { kind: 'tracker', name: 'a', events: ['Issue', 'Issue'] },
      'must not contain a value twice',
    ],
    ['deleteMemories', {}, 'must have ids, or filter and expectedCount'],
  ])('says in words which size or choice %s requires', (operationId, body, message) => {
    const operation = contract.operations.find(({ id }) => id === operationId);

    const { extra } = caught(() => contract.checkRequest(operation!, { path: {}, query: {}, body }));

    expect(extra.details).toEqual([{ path: expect.any(String), message }]);
  });

  test('says the only value that a field may have', () => {
    const check = () => contract.checkSchema('ImportItem', { content: 'a', distinct: false });

    expect(caught(check).extra.details).toContainEqual({ path: 'distinct', message: 'must be true' });
  });

  test('describes a pattern in words', () => {
    const operation = contract.operations.find(({ id }) => id === 'listAuditEvents');
    const query = { since: '2026-02-30', cursor: 'x', limit: 1 };

    const { extra } = caught(() => contract.checkRequest(operation!, { path: {}, query, body: undefined }));

    expect(extra.details).toEqual([
      { path: 'since', message: expect.stringContaining('ISO 8601') },
      { path: 'cursor', message: expect.stringContaining('previous page') },
    ]);
  });

  test('reports a list of words as a whole', () => {
    const operation = contract.operations.find(({ id }) => id === 'createToken');
    const body = { name: 't', abilities: ['memory:search', 'memory:everything'] };

    const { extra } = caught(() => contract.checkRequest(operation!, { path: {}, query: {}, body }));

    expect(extra.details).toEqual([{ path: 'abilities', message: expect.stringContaining('memory:ingest') }]);
  });

  test('reports events that a kind of webhook does not have, without the rule behind it', () => {
    const operation = contract.operations.find(({ id }) => id === 'createInboundWebhook');
    const body = { kind: 'tracker', name: 'a', events: ['Issue', 'push'] };

    const { extra } = caught(() => contract.checkRequest(operation!, { path: {}, query: {}, body }));

    expect(extra.details).toEqual([{ path: 'events', message: 'must be one of "Issue", "Comment"' }]);
  });

  test('has words for every pattern that a request must match', async () => {
    const { operations } = await resolveDocument(contract.document);
    const requests = operations.flatMap(({ parameters, requestBody, ...operation }) =>
      operation['x-raw-body']
        ? []
        : [...(parameters ?? []).map(({ name, schema }) => ({ [name]: schema })), requestBody],
    );

    const names = new Set(requests.flatMap((request) => patternNames(request, '')));

    expect(names).toEqual(new Set(Object.keys(PATTERN_WORDS)));
  });
});

/** Returns the field names for which a schema has patterns. */
function patternNames(node: unknown, name: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.entries(node).flatMap(([key, child]) =>
    patternNames(child, SCHEMA_WORDS.includes(key) || /^\d+$/.test(key) ? name : key),
  );
  return 'pattern' in node && typeof node.pattern === 'string' ? [name, ...below] : below;
}

function refusal(body: unknown): UnprocessableError {
  const operation = contract.operations.find(({ id }) => id === 'ingestMemory');
  return caught(() => contract.checkRequest(operation!, { path: {}, query: {}, body }));
}

function caught(check: () => void): UnprocessableError {
  try {
    check();
  } catch (error) {
    if (error instanceof UnprocessableError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
