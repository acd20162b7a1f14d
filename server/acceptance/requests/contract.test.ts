import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { assertSameOperations } from '../../http/contract/assert-same-operations.js';
import { loadContract } from '../../http/contract/contract.js';
import { routes } from '../../routes/index.js';
import { testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';

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

describe('the document and the routes', () => {
  test('name the same operations', () => {
    expect(() => assertSameOperations(contract, routes)).not.toThrow();
  });

  test('stop the start where they differ, with the names', () => {
    const { getMemory: _, ...lacking } = routes;

    expect(() => assertSameOperations(contract, { ...lacking, forgetMemory: routes.getMemory })).toThrow(
      'without a route getMemory; not in the document forgetMemory',
    );
  });

  test('agree on which reads count toward the monthly quota', async () => {
    const app = await testApp();
    const month = new Date().toISOString().slice(0, 7);
    const counted: string[] = [];
    for (const { id } of contract.operations) {
      const before = (await app.deps.store.usage.read(app.organizationId, month)).search;
      await app.send(SAMPLE_REQUESTS[id].method, SAMPLE_REQUESTS[id].path, SAMPLE_REQUESTS[id].body);
      const after = (await app.deps.store.usage.read(app.organizationId, month)).search;
      if (after > before) counted.push(id);
    }

    const paths = Object.values(contract.document.paths as Record<string, Record<string, Record<string, unknown>>>);
    const metered = paths.flatMap((path) => Object.values(path).filter((each) => each['x-metered'] === 'search'));

    expect(counted).toEqual(metered.map(({ operationId }) => operationId));
  });
});
