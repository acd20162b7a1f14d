import { expect } from 'vitest';
import { parse } from 'yaml';
import { defineChecks } from '../check.js';

/** The probes behind service_health, and the contract that a deployment serves. */
export const healthChecks = defineChecks('4.13', [
  {
    id: 'health-live',
    level: 'should',
    requirement: 'GET /health/live answers 200 without a credential.',
    async run(target) {
      expect((await target.send('GET', '/health/live', undefined, { token: null })).status).toBe(200);
    },
  },
  {
    id: 'health-ready',
    level: 'should',
    requirement: 'GET /health/ready answers 200 and reports on the store and the embedding provider.',
    async run(target) {
      const answer = await target.send('GET', '/health/ready', undefined, { token: null });

      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ status: 'ok', checks: { store: { status: 'ok' } } });
    },
  },
  {
    id: 'contract-is-served',
    level: 'should',
    requirement: 'A deployment serves its contract, in the version of X-Service-Version.',
    async run(target) {
      const answer = await target.send('GET', '/openapi.yaml', undefined, { token: null });
      const { info } = parse(answer.text) as { info?: { version?: string } };

      expect(answer.status).toBe(200);
      expect(info?.version).toBe(answer.headers.get('x-service-version'));
    },
  },
  {
    id: 'contract-is-not-sent-twice',
    level: 'should',
    requirement: 'The contract has an ETag, and a request with it gets 304 without a body.',
    needs: ['response-headers'],
    async run(target) {
      for (const path of ['/openapi.yaml', '/openapi.json']) {
        const first = await target.send('GET', path, undefined, { token: null });
        const etag = first.headers.get('etag') ?? '';
        const again = await target.send('GET', path, undefined, { token: null, headers: { 'if-none-match': etag } });

        expect(etag, path).toMatch(/^(?:W\/)?"[^"]+"$/);
        expect({ path, status: again.status, text: again.text }).toEqual({ path, status: 304, text: '' });
      }
    },
  },
  {
    id: 'contract-has-every-operation',
    level: 'should',
    requirement: 'The served contract has every operation of the contract of this suite.',
    async run(target) {
      const answer = await target.send('GET', '/openapi.json', undefined, { token: null });
      const paths = answer.body.paths as Record<string, Record<string, unknown>>;

      const missing = target.contract.operations.filter(({ path, method }) => !paths[path]?.[method.toLowerCase()]);
      expect(missing.map(({ operationId }) => operationId)).toEqual([]);
    },
  },
]);
