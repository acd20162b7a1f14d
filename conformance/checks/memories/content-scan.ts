import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { RISKS } from '../../world/content-scan.js';
import { type Check, defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

function expectRejected(answer: Answer, text: string): void {
  expectRefusal(answer, 422, 'content_rejected');
  expect(answer.body.error).toEqual(expect.any(String));
  expect(answer.text).not.toContain(text);
}

function rejects(kind: keyof typeof RISKS): Omit<Check, 'section'> {
  const { text, reason } = RISKS[kind];
  return {
    id: `scan-rejects-${kind}`,
    level: 'must',
    requirement: `Content with what looks like ${reason.replace('_', ' ')} is rejected with 422 and content_rejected.`,
    needs: ['content-scan'],
    async run(target) {
      await target.contentScan.required();
      const answer = await target.ingest({ content: `${target.unique('scanned')} ${text}` });

      expectRejected(answer, text);
      if (answer.body.reasons !== undefined) expect(answer.body.reasons).toEqual([reason]);
    },
  };
}

/** The content scan (part 7). */
export const contentScanChecks = defineChecks('7', [
  rejects('api-key'),
  rejects('card'),
  rejects('email'),
  {
    id: 'scan-of-upsert',
    level: 'must',
    requirement: 'Upserts are scanned.',
    needs: ['content-scan'],
    async run(target) {
      await target.contentScan.required();
      const { text } = RISKS.email;

      expectRejected(await target.upsert({ content: `${target.unique('scanned')} ${text}` }), text);
    },
  },
  {
    id: 'scan-of-update',
    level: 'must',
    requirement: 'Updates are scanned, and a rejected one changes nothing.',
    needs: ['content-scan'],
    async run(target) {
      await target.contentScan.required();
      const { id, content } = await target.stored();
      const { text } = RISKS.card;

      expectRejected(await target.patch(id, { content: `${target.unique('scanned')} ${text}` }), text);
      expect((await target.get(id)).body.content).toBe(content);
    },
  },
  {
    id: 'scan-of-batch-items',
    level: 'must',
    requirement: 'Batch items are scanned one by one.',
    needs: ['content-scan'],
    async run(target) {
      await target.contentScan.required();
      const content = `${target.unique('scanned')} ${RISKS.email.text}`;

      const answer = await target.batch([target.fields({ content }), target.fields()]);

      expect(answer.body.summary).toEqual({ ok: 1, failed: 1 });
      expect(answer.body.results).toMatchObject([{ index: 0, error: { code: 'content_rejected' } }, { index: 1 }]);
    },
  },
  {
    id: 'scan-of-metadata',
    level: 'should',
    requirement: 'Metadata is scanned as well.',
    needs: ['content-scan'],
    async run(target) {
      await target.contentScan.required();
      const { text } = RISKS.email;

      expectRejected(await target.ingest({ metadata: { author: { mail: text } } }), text);
    },
  },
  {
    id: 'scan-stores-nothing',
    level: 'must',
    requirement: 'Rejected content is not stored.',
    needs: ['content-scan'],
    async run(target) {
      await target.contentScan.required();
      const project = target.word();
      await target.ingest({ content: `${target.unique('scanned')} ${RISKS.card.text}`, metadata: { project } });

      expect((await target.read('recent', { filter: { project } })).ids).toEqual([]);
    },
  },
  {
    id: 'scan-lets-plain-text-pass',
    level: 'must',
    requirement: 'Text with plain numbers, ids and the sign @ is not rejected.',
    needs: ['content-scan'],
    async run(target) {
      await target.contentScan.required();
      const plain = 'Order 1234 5678, id 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11, @mention, 12.50 EUR, +1 week';

      expectOutcome(await target.ingest({ content: `${target.unique('plain')} ${plain}` }), 201, 'created');
    },
  },
]);
