import { expect } from 'vitest';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

/** Outside the basic plane: one character, two UTF-16 units, four bytes. */
const ASTRAL = '\u{1F600}';

/** Returns a content of `characters` characters. */
function textOf(target: Target, characters: number, filler = 'x'): string {
  const start = `${target.unique('long')} `;
  return start + filler.repeat(Math.max(0, characters - start.length));
}

/** The bounds of content (2.2), and its normalization (2.1). */
export const contentChecks = defineChecks('2.2', [
  {
    id: 'content-is-nfc-normalized',
    level: 'must',
    requirement: 'Content is normalized to NFC.',
    async run(target) {
      const plain = target.unique('normalized');

      const answer = await target.ingest({ content: `${plain} cafe\u0301` });

      expect(answer.body.content).toBe(`${plain} caf\u00e9`);
    },
  },
  {
    id: 'content-nfc-forms-are-equal',
    level: 'must',
    requirement: 'Two spellings of the same characters are the same content.',
    async run(target) {
      const plain = target.unique('spelled twice');
      const first = await target.stored({ content: `${plain} caf\u00e9` });

      const second = await target.ingest({ content: `${plain} cafe\u0301` });

      expectOutcome(second, 200, 'deduplicated');
      expect(second.body.id).toBe(first.id);
    },
  },
  {
    id: 'content-of-maximal-length',
    level: 'must',
    requirement: 'Content of exactly the maximum number of characters is accepted.',
    async run(target) {
      const content = textOf(target, target.limits.contentLength);

      const answer = await target.ingest({ content });

      expectOutcome(answer, 201, 'created');
      expect(answer.body.content).toBe(content);
    },
  },
  {
    id: 'content-too-long-ingest-422',
    level: 'must',
    requirement: 'Content above the maximal length is rejected with 422 on ingest.',
    async run(target) {
      const answer = await target.ingest({ content: textOf(target, target.limits.contentLength + 1) });

      expectRefusal(answer, 422);
    },
  },
  {
    id: 'content-too-long-upsert-422',
    level: 'must',
    requirement: 'Content above the maximal length is rejected with 422 on upsert.',
    async run(target) {
      const answer = await target.upsert({ content: textOf(target, target.limits.contentLength + 1) });

      expectRefusal(answer, 422);
    },
  },
  {
    id: 'content-too-long-batch-item',
    level: 'must',
    requirement: 'A batch item whose content is above the maximal length fails, and the others are stored.',
    async run(target) {
      const content = textOf(target, target.limits.contentLength + 1);

      const answer = await target.batch([target.fields({ content }), target.fields()]);

      expect(answer.body.summary).toEqual({ ok: 1, failed: 1 });
      expect(answer.body.results).toMatchObject([{ index: 0, error: {} }, { index: 1 }]);
    },
  },
  {
    id: 'content-too-long-update-422',
    level: 'must',
    requirement: 'Content above the maximal length is rejected with 422 on update.',
    async run(target) {
      const { id } = await target.stored();

      const answer = await target.patch(id, { content: textOf(target, target.limits.contentLength + 1) });

      expectRefusal(answer, 422);
    },
  },
  {
    id: 'content-counted-in-characters',
    level: 'must',
    requirement: 'The length of content is counted in characters, not in bytes or UTF-16 units.',
    async run(target) {
      // Short of the limit in characters, above it in UTF-16 units.
      const start = `${target.unique('astral')} `;
      const content = start + ASTRAL.repeat(target.limits.contentLength - start.length);

      const answer = await target.ingest({ content });

      expectOutcome(answer, 201, 'created');
    },
  },
  {
    id: 'content-refused-stores-nothing',
    level: 'must',
    requirement: 'A rejected ingest stores nothing.',
    async run(target) {
      const project = target.word();
      const content = textOf(target, target.limits.contentLength + 1);
      expectRefusal(await target.ingest({ content, metadata: { project } }), 422);

      const listed = await target.read('recent', { filter: { project } });

      expect(listed.ids).toEqual([]);
    },
  },
  {
    id: 'content-is-required',
    level: 'must',
    requirement: 'An ingest without content is rejected with 422.',
    async run(target) {
      const answer = await target.send('POST', '/api/memories', { metadata: target.tagged() });

      expectRefusal(answer, 422);
    },
  },
  {
    id: 'content-is-text',
    level: 'must',
    requirement: 'Content that is not a string is rejected with 422.',
    async run(target) {
      for (const content of [1, true, null, ['text'], { text: 'x' }]) {
        expectRefusal(await target.send('POST', '/api/memories', { content, metadata: target.tagged() }), 422);
      }
    },
  },
  {
    id: 'content-is-not-blank',
    level: 'should',
    requirement: 'Empty or blank content is rejected with 422.',
    async run(target) {
      for (const content of ['', '   ', '\n\t']) expectRefusal(await target.ingest({ content }), 422);
    },
  },
  {
    id: 'content-keeps-white-space',
    level: 'should',
    requirement: 'Content is returned with its lines, spaces and marks unchanged.',
    async run(target) {
      const content = `${target.unique('layout')}\n\n\tindented  twice — “quoted” ${ASTRAL} <b>&amp;</b>`;

      const { id } = await target.stored({ content });

      expect((await target.get(id)).body.content).toBe(content);
    },
  },
  {
    id: 'content-no-unpaired-surrogate',
    level: 'should',
    requirement: 'A lone surrogate or a null character in content is rejected with 422.',
    async run(target) {
      const plain = target.unique('broken');
      for (const wrong of ['\\ud800', '\\u0000']) {
        const text = `{"content":"${plain} ${wrong}","metadata":${JSON.stringify(target.tagged())}}`;
        expectRefusal(await target.send('POST', '/api/memories', text), 422);
      }
    },
  },
]);
