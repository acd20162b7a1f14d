import { describe, expect, test } from 'vitest';
import { Contract } from './contract.js';
import { Http } from './http.js';

const contract = Contract.load();
const PROBE = { method: 'GET', path: '/health/nothing', headers: {} };

/** A deployment that answers these in their order, and how long the suite waited in between. */
function answering(...answers: readonly { status: number; retryAfter?: number }[]) {
  const left = [...answers];
  const waited: number[] = [];
  const http = new Http({
    transport: async () => {
      const { status, retryAfter } = left.shift() ?? { status: 200 };
      return new Response(null, {
        status,
        headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` },
      });
    },
    contract,
    withHeaders: false,
    pause: async (ms) => waited.push(ms),
  });
  return { http, waited };
}

describe('a request of the suite', () => {
  test('is sent again where the deployment is busy for a moment', async () => {
    const { http, waited } = answering({ status: 503, retryAfter: 1 }, { status: 503, retryAfter: 2 }, { status: 200 });

    expect((await http.send(PROBE)).status).toBe(200);
    expect(waited).toEqual([1_000, 2_000]);
  });

  test('is not sent again where the deployment asks for more patience, or tells of none', async () => {
    const later = answering({ status: 503, retryAfter: 300 });
    const never = answering({ status: 503 });

    expect((await later.http.send(PROBE)).status).toBe(503);
    expect((await never.http.send(PROBE)).status).toBe(503);
    expect([...later.waited, ...never.waited]).toEqual([]);
  });

  test('is given up where the deployment stays busy', async () => {
    const { http, waited } = answering(...Array.from({ length: 20 }, () => ({ status: 503, retryAfter: 1 })));

    expect((await http.send(PROBE)).status).toBe(503);
    expect(waited).toHaveLength(5);
  });
});
