import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { push, trackerEvent } from '../../world/sender-events.js';
import { defineChecks } from '../check.js';

/** The memories of inbound events (6.1). */
export const inboundEventChecks = defineChecks('6.1', [
  {
    id: 'inbound-push-becomes-memory',
    level: 'must',
    requirement: 'A push becomes memories with source codehost, project owner/repo and the delivery.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const { project, message, payload } = push();
      const deliveryId = randomUUID();
      await target.senders.deliver(await target.senders.get('codehost'), payload, { deliveryId });

      const [memory] = await target.senders.memoriesOf(project);

      expect(memory?.content).toContain(message);
      expect(memory?.metadata).toMatchObject({ source: 'codehost', project });
      expect(JSON.stringify(memory?.metadata)).toContain(deliveryId);
    },
  },
  {
    id: 'inbound-issue-becomes-memory',
    level: 'must',
    requirement: 'An issue of the code host becomes a memory with source codehost and project owner/repo.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const project = `conformance/${target.word()}`;
      const title = target.unique('issue');
      const issue = { number: 7, title, body: 'As told.', state: 'open', user: { login: 'ana' } };
      const payload = { action: 'opened', repository: { full_name: project }, issue };
      await target.senders.deliver(await target.senders.get('codehost'), payload, { event: 'issues' });

      const [memory] = await target.senders.memoriesOf(project);

      expect(memory?.content).toContain(title);
      expect(memory?.metadata).toMatchObject({ source: 'codehost', project });
    },
  },
  {
    id: 'inbound-tracker-issue-becomes-memory',
    level: 'must',
    requirement: 'An Issue event of the tracker becomes a memory with the delivery id.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const { project, text, payload } = trackerEvent('Issue');
      const deliveryId = randomUUID();
      await target.senders.deliver(await target.senders.get('tracker'), payload, { deliveryId });

      const [memory] = await target.senders.memoriesOf(project);

      expect(memory?.content).toContain(text);
      expect(JSON.stringify(memory?.metadata)).toContain(deliveryId);
    },
  },
  {
    id: 'inbound-tracker-comment-becomes-memory',
    level: 'must',
    requirement: 'A Comment event of the tracker becomes a memory.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const { project, text, payload } = trackerEvent('Comment');
      await target.senders.deliver(await target.senders.get('tracker'), payload);

      const [memory] = await target.senders.memoriesOf(project);

      expect(memory?.content).toContain(text);
    },
  },
  {
    id: 'inbound-other-events-ignored',
    level: 'should',
    requirement: 'Events of other kinds are accepted and ignored.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');

      const answer = await target.senders.deliver(sender, push().payload, { event: 'star' });

      expect(answer.body).toEqual({ status: 'ignored' });
    },
  },
  {
    id: 'inbound-only-chosen-events',
    level: 'must',
    requirement: 'Only the chosen events of the tracker are ingested.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const sender = await target.senders.make('tracker', ['Issue']);

      const comment = await target.senders.deliver(sender, trackerEvent('Comment').payload);
      const issue = await target.senders.deliver(sender, trackerEvent('Issue').payload);

      expect([comment.body.status, issue.body.status]).toEqual(['ignored', 'queued']);
    },
  },
  {
    id: 'inbound-issue-is-kept-up-to-date',
    level: 'should',
    requirement: 'A later event of an issue updates its memory and creates no other.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('tracker');
      const { project, payload } = trackerEvent('Issue');
      await target.senders.deliver(sender, payload);
      const [first] = await target.senders.memoriesOf(project);
      const title = target.unique('renamed');
      const data = { ...payload.data, title, updatedAt: '2026-03-03T09:15:04.119Z' };
      const deliveryId = randomUUID();

      await target.senders.deliver(sender, { ...payload, action: 'update', data }, { deliveryId });
      // The next delivery of the same sender is ingested after it.
      const last = trackerEvent('Issue');
      await target.senders.deliver(sender, last.payload);
      await target.senders.memoriesOf(last.project);

      const memories = await target.senders.memoriesOf(project);
      expect(memories.map(({ id }) => id)).toEqual([first?.id]);
    },
  },
  {
    id: 'inbound-drops-addresses',
    level: 'should',
    requirement: 'E-mail addresses of authors and trailers do not enter memories.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const address = ['ana.lopez', 'mail-of-ana.com'].join('@');
      const { project, payload } = push(`${target.unique('signed')}\n\nSigned-off-by: Ana <${address}>`);
      await target.senders.deliver(await target.senders.get('codehost'), payload);

      const [memory] = await target.senders.memoriesOf(project);

      expect(JSON.stringify(memory)).not.toContain(address);
    },
  },
  {
    id: 'inbound-is-scanned',
    level: 'must',
    requirement: 'The content scan applies to webhook ingest.',
    needs: ['inbound-webhooks', 'management', 'content-scan'],
    async run(target) {
      await target.contentScan.required();
      const sender = await target.senders.make('codehost');
      const { project, payload } = push(`${target.unique('leaks')} AKIA${'QXB7JT2M4ZPLW6CV'}`);
      const deliveryId = randomUUID();
      await target.senders.deliver(sender, payload, { deliveryId });

      const { state } = await target.senders.fateOf(sender, deliveryId);

      expect(state).toBe('failed');
      expect((await target.read('export', { filter: { project } })).ids).toEqual([]);
    },
  },
  {
    id: 'inbound-is-audited',
    level: 'must',
    requirement: 'A webhook ingest writes an audit event.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const { project, payload } = push();
      await target.senders.deliver(await target.senders.get('codehost'), payload);
      const [memory] = await target.senders.memoriesOf(project);

      const query = { memoryId: memory?.id };
      const { body } = await target.send('GET', '/api/organization/audit-events', undefined, { query });

      expect(body.auditEvents).toMatchObject([{ memoryId: memory?.id, source: 'webhook' }]);
    },
  },
]);
