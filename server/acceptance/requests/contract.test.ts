import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { assertSameOperations } from '../../http/contract/assert-same-operations.js';
import { loadContract } from '../../http/contract/contract.js';
import { routes } from '../../routes/index.js';
import { testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS, UNKNOWN_ID } from '../../testing/fixtures/requests.js';

const file = readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8');
const contract = loadContract();

describe('getContractYaml', () => {
  test('answers the document byte for byte, without a credential', async () => {
    const app = await testApp();

    const answer = await app.send('GET', '/openapi.yaml', undefined, { authorization: undefined });

    expect(answer).toMatchObject({ status: 200, text: file, headers: { 'content-type': 'application/yaml' } });
  });
});

describe('getContractJson', () => {
  test('answers the same document as JSON, its references kept', async () => {
    const app = await testApp();

    const answer = await app.send('GET', '/openapi.json', undefined, { authorization: undefined });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(parse(file));
    expect(answer.text).toContain('$ref');
  });
});

test('the document is read once, however often it is requested', () => {
  expect(contract.yaml).toBe(contract.yaml);
  expect(contract.json).toBe(contract.json);
});

describe.each(['/openapi.yaml', '/openapi.json'])('%s', (path) => {
  test('may be cached, and is not sent again to a client that has it', async () => {
    const app = await testApp();
    const get = (method: string, etag?: string) =>
      app.send(method, path, undefined, { authorization: undefined, 'if-none-match': etag });
    const { headers } = await get('GET');
    const etag = String(headers.etag);

    const again = await get('GET', etag);
    const among = await get('GET', `"another", ${etag.replace('W/', '')}`);
    const any = await get('HEAD', '*');
    const other = await get('GET', '"another"');

    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' });
    expect([again, among, any, other].map(({ status }) => status)).toEqual([304, 304, 304, 200]);
    expect(again).toMatchObject({ text: '', headers: { etag, 'cache-control': 'public, max-age=300' } });
    expect(again.headers).not.toHaveProperty('content-type');
  });

  test('is compressed for clients that accept that', async () => {
    const { port } = await testApp();
    const url = `http://127.0.0.1:${port}${path}`;
    const get = (accepted: string) => fetch(url, { headers: { 'accept-encoding': accepted } });

    const plain = await get('identity');
    const refused = await get('gzip;q=0, br');
    const compressed = await get('br, gzip;q=0.5');

    expect([plain, refused, compressed].map(({ headers }) => headers.get('content-encoding'))).toEqual([
      null,
      null,
      'gzip',
    ]);
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(
      Number(plain.headers.get('content-length')) / 3,
    );
    expect(compressed.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(await compressed.text()).toBe(await plain.text());
  });
});

describe('the document and the routes', () => {
  test('name the same operations', () => {
    expect(() => assertSameOperations(contract, routes)).not.toThrow();
  });

  test('prevent a start if they differ, and name the difference', () => {
    const { getMemory: _, ...lacking } = routes;

    expect(() => assertSameOperations(contract, { ...lacking, forgetMemory: routes.getMemory })).toThrow(
      'operations without a route: getMemory; routes without an operation: forgetMemory',
    );
  });

  test('agree on which reads count toward the monthly cap', async () => {
    const app = await testApp();
    const month = new Date().toISOString().slice(0, 7);
    const counted: string[] = [];
    const known = String((await app.send('POST', '/api/memories', { content: 'known' })).body.id);
    const document = { documentId: known, chunkIndex: 0, chunkTotal: 1 };
    await app.send('PATCH', `/api/memories/${known}`, { metadata: document });
    for (const { id } of contract.operations) {
      const before = (await app.deps.store.usage.read(app.organizationId, month)).search;
      const { method, path, body } = SAMPLE_REQUESTS[id];
      // A request for an unknown memory or document is rejected and counts nothing.
      await app.send(method, method === 'GET' ? path.replace(UNKNOWN_ID, known) : path, body);
      const after = (await app.deps.store.usage.read(app.organizationId, month)).search;
      if (after > before) counted.push(id);
    }

    const paths = Object.values(contract.document.paths as Record<string, Record<string, Record<string, unknown>>>);
    const metered = paths.flatMap((path) => Object.values(path).filter((each) => each['x-metered'] === 'search'));

    expect(counted).toEqual(metered.map(({ operationId }) => operationId));
  });
});
