import { describe, expect, test } from 'vitest';
import { loadContract } from '../../http/contract/contract.js';
import type { SentHeaders } from '../../testing/app/http-client.js';
import { credentialFor } from '../../testing/app/sign-in.js';
import { type TestOverrides, testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';

const { operations } = loadContract();
const withBody = operations.filter(({ hasBody, hasRawBody }) => hasBody && !hasRawBody);

const NO_JSON: [string, string | Buffer | undefined, SentHeaders?][] = [
  ['nothing', undefined],
  ['nothing, declared as JSON', '', { 'content-type': 'application/json' }],
  ['white space', ' \n'],
  ['half an object', '{"content":'],
  ['two objects', '{}{}'],
  ['a comma too many', '{"content":"a",}'],
  ['a JavaScript object literal', "{content:'a'}"],
  ['NaN', 'NaN'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['a lone surrogate', Buffer.from([0x22, 0xc3, 0x22])],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
];

const OTHER_TYPES = [
  undefined,
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/merge-patch+json',
  'application/jsonp',
  'application/json; charset=iso-8859-1',
  '',
];

describe.each(withBody)('the body of $id', ({ id, sessionOnly }) => {
  const { method, path, body } = SAMPLE_REQUESTS[id];

  /** Opens an app, and returns how to send this operation with the credential that it needs. */
  async function bodyApp(overrides?: TestOverrides) {
    const app = await testApp(overrides);
    const credential = await credentialFor(app, { sessionOnly });
    return (sent: unknown, headers?: SentHeaders) => app.send(method, path, sent, { ...credential, ...headers });
  }

  test('answers 400 invalid_json if it is not JSON', async () => {
    const send = await bodyApp();

    for (const [what, sent, headers] of NO_JSON) {
      const answer = await send(sent, headers);

      expect(answer, what).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
    }
  });

  test('answers 415 to every other content type', async () => {
    const send = await bodyApp();

    for (const type of OTHER_TYPES) {
      const answer = await send(body, { 'content-type': type });

      expect(answer, type).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    }
  });

  test('answers 415 if it is compressed', async () => {
    const send = await bodyApp();

    const answer = await send(body, { 'content-encoding': 'gzip' });

    expect(answer.status).toBe(415);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json ; odata=none'])(
    'is accepted with content type %s',
    async (type) => {
      const send = await bodyApp();

      const answer = await send(body, { 'content-type': type });

      expect([200, 201, 202, 204, 401, 404]).toContain(answer.status);
    },
  );

  test('answers 413 beyond the maximum size, and names it', async () => {
    const max = ['ingestMemoryBatch', 'importMemories'].includes(id) ? 4_000 : 2_000;
    const send = await bodyApp({ limits: { bodyBytes: 2_000, batchBodyBytes: 4_000 } });

    const fits = await send(' '.repeat(max));
    const over = await send(' '.repeat(max + 1));
    const unannounced = await send(' '.repeat(max + 1), { 'transfer-encoding': 'chunked' });

    expect(fits.status).toBe(400);
    for (const answer of [over, unannounced]) {
      expect(answer).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large', max },
        headers: { connection: 'close' },
      });
    }
  });

  test('answers 422 to 33 levels, without parsing them', async () => {
    const send = await bodyApp();
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

    const taken = await send(deep(32));
    const over = await send(deep(33));
    const far = await send('{"a":'.repeat(100_000));
    const quoted = await send(JSON.stringify({ content: `"\\${'['.repeat(100)}` }));

    expect(taken.body).toMatchObject({ details: [{ message: 'must be an object' }] });
    expect([over, far]).toMatchObject([{ status: 422 }, { status: 422 }]);
    expect([over.body.error, far.body.error]).toEqual(Array(2).fill(expect.stringContaining('32 levels')));
    expect(quoted.body.error).not.toEqual(over.body.error);
  });
});
