import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const REQUEST_ID = /^[\w-]{1,64}$/;

/** The form of rejections (section 7), and the headers of every answer. */
export const errorChecks = defineChecks('7', [
  {
    id: 'error-has-text-and-code',
    level: 'should',
    requirement: 'An error is a JSON object with a text in error and a name in code.',
    async run(target) {
      for (const answer of [
        await target.ingest({ content: '' }),
        await target.read('recent', { limit: 0 }),
        await target.read('recent', {}, { token: null }),
      ]) {
        expect(answer.body).toMatchObject({ error: expect.any(String), code: expect.stringMatching(/^[a-z_]+$/) });
      }
    },
  },
  {
    id: 'error-names-the-field',
    level: 'should',
    requirement: 'An error about a field names the field.',
    async run(target) {
      const answer = await target.send('POST', '/api/memories', { content: 7 });

      expectRefusal(answer, 422, 'validation_failed');
      expect(JSON.stringify(answer.body.details)).toContain('content');
    },
  },
  {
    id: 'error-hides-what-was-sent',
    level: 'should',
    requirement: 'An error does not repeat what was sent.',
    async run(target) {
      const secret = target.word();
      for (const metadata of [{ externalKey: secret }, { documentId: secret }]) {
        expect((await target.ingest({ content: secret, metadata })).text).not.toContain(secret);
      }
    },
  },
  {
    id: 'error-invalid-json-400',
    level: 'should',
    requirement: 'A body that is not JSON gets 400 and the code invalid_json.',
    async run(target) {
      for (const text of ['{', '{"content":', 'text', '']) {
        expectRefusal(await target.send('POST', '/api/memories', text), 400, 'invalid_json');
      }
    },
  },
  {
    id: 'error-body-is-an-object',
    level: 'should',
    requirement: 'A body that is JSON but not an object is rejected with 422.',
    async run(target) {
      for (const text of ['[]', '"text"', '7', 'null']) {
        expectRefusal(await target.send('POST', '/api/memories', text), 422);
      }
    },
  },
  {
    id: 'error-media-type-415',
    level: 'should',
    requirement: 'A body that is not sent as application/json gets 415.',
    async run(target) {
      const answer = await target.send('POST', '/api/memories', JSON.stringify(target.fields()), {
        headers: { 'content-type': 'text/plain' },
      });

      expectRefusal(answer, 415, 'unsupported_media_type');
    },
  },
  {
    id: 'error-content-encoding-415',
    level: 'should',
    requirement: 'A compressed body gets 415, and the error names Content-Encoding.',
    async run(target) {
      const answer = await target.send('POST', '/api/memories', JSON.stringify(target.fields()), {
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      });

      expectRefusal(answer, 415, 'unsupported_media_type');
      expect(answer.body.error).toContain('Content-Encoding');
    },
  },
  {
    id: 'error-payload-too-large-413',
    level: 'should',
    requirement: 'A body above 2 MiB gets 413 and the largest size in max.',
    async run(target) {
      const answer = await target.ingest({ content: 'x'.repeat(2 * 1024 * 1024) });

      expectRefusal(answer, 413, 'payload_too_large');
    },
  },
  {
    id: 'error-batch-too-large-names-maximum',
    level: 'should',
    requirement: 'The 413 of a batch has the code batch_too_large and the maximum in max.',
    async run(target) {
      const { batchItems } = target.limits;

      const answer = await target.batch(Array.from({ length: batchItems + 1 }, () => target.fields()));

      expect(answer.body).toMatchObject({ code: 'batch_too_large', max: batchItems });
    },
  },
  {
    id: 'error-unknown-path-404',
    level: 'should',
    requirement: 'A path that does not exist gets 404.',
    async run(target) {
      expectRefusal(await target.send('GET', '/api/nothing-here'), 404);
    },
  },
  {
    id: 'error-method-405',
    level: 'should',
    requirement: 'A path with a method that it does not have gets 405 and the header Allow.',
    async run(target) {
      const answer = await target.send('DELETE', '/api/memories');

      expectRefusal(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toContain('POST');
    },
  },
  {
    id: 'answer-has-request-id',
    level: 'should',
    requirement: 'Every answer has X-Request-Id; a valid one of the caller is repeated.',
    needs: ['response-headers'],
    async run(target) {
      const own = target.word();

      const named = await target.read('recent', { limit: 1 }, { headers: { 'x-request-id': own } });
      const unnamed = await target.read('recent', { limit: 1 }, { headers: { 'x-request-id': 'a b' } });

      expect(named.headers.get('x-request-id')).toBe(own);
      expect(unnamed.headers.get('x-request-id')).toMatch(REQUEST_ID);
    },
  },
  {
    id: 'answer-is-not-kept',
    level: 'should',
    requirement: 'No answer may be cached or interpreted as another media type.',
    needs: ['response-headers'],
    async run(target) {
      const { headers } = await target.read('recent', { limit: 1 });

      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  },
]);
