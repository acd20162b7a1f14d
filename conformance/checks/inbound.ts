import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';
import type { Target } from '../target.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** A push of one commit to a repository that no other check knows. */
function push(target: Target, message = target.unique('commit')) {
  const project = `conformance/${target.word()}`;
  const id = createHash('sha1').update(message).digest('hex');
  const author = { name: 'Ana Lima', username: 'ana' };
  const timestamp = '2026-03-02T09:15:04Z';
  const commits = [{ id, distinct: true, message, timestamp, url: `https://host.example/${project}/${id}`, author }];
  return { project, message, payload: { ref: 'refs/heads/main', repository: { full_name: project }, commits } };
}

/** An event of the tracker, in a team that no other check knows. */
function trackerEvent(target: Target, type: 'Issue' | 'Comment') {
  const project = `C${target.word().slice(2, 8).toUpperCase()}`;
  const identifier = `${project}-7`;
  const text = target.unique('tracked');
  const updatedAt = '2026-03-02T09:15:04.119Z';
  const issue = { id: randomUUID(), identifier, title: text, team: { key: project }, updatedAt };
  const data = type === 'Issue' ? { ...issue, description: 'As told.' } : { id: randomUUID(), body: text, issue };
  return { project, text, payload: { type, action: 'create', data } };
}

/** How inbound webhooks are authenticated and answered (4.14). */
const deliveryChecks = defineChecks('4.14', [
  {
    id: 'inbound-codehost-signature-401',
    level: 'must',
    requirement: 'A delivery of the code host without the right signature is answered with 401.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');
      const { payload } = push(target);
      for (const signature of [null, '', 'sha256=', `sha256=${'0'.repeat(64)}`, '0'.repeat(64)]) {
        expectRefusal(await target.senders.deliver(sender, payload, { signature }), 401);
      }
      const other = { ...sender, secret: `${sender.secret}x` };
      expectRefusal(await target.senders.deliver(other, payload), 401);
    },
  },
  {
    id: 'inbound-tracker-signature-401',
    level: 'must',
    requirement: 'A delivery of the tracker without the right signature is answered with 401.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('tracker');
      const { payload } = trackerEvent(target, 'Issue');
      for (const signature of [null, '', '0'.repeat(64)]) {
        expectRefusal(await target.senders.deliver(sender, payload, { signature }), 401);
      }
      const other = { ...sender, secret: `${sender.secret}x` };
      expectRefusal(await target.senders.deliver(other, payload), 401);
    },
  },
  {
    id: 'inbound-signature-of-raw-body',
    level: 'must',
    requirement: 'The signature is over the bytes of the body as they were sent.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');
      const spaced = JSON.stringify(push(target).payload, null, 3).replace('Ana', '\\u0041na');

      const answer = await target.senders.deliver(sender, spaced);

      expect(answer.status, answer.text).toBeLessThan(300);
    },
  },
  {
    id: 'inbound-unknown-webhook-401',
    level: 'should',
    requirement: 'A webhook that does not exist is answered like a wrong signature.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = { ...(await target.senders.get('codehost')), id: UNKNOWN };

      expectRefusal(await target.senders.deliver(sender, push(target).payload), 401, 'invalid_signature');
    },
  },
  {
    id: 'inbound-codehost-202',
    level: 'should',
    requirement: 'An accepted delivery of the code host is answered with 202 and queued.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const answer = await target.senders.deliver(await target.senders.get('codehost'), push(target).payload);

      expect(answer.status).toBe(202);
      expect(answer.body).toEqual({ status: 'queued' });
    },
  },
  {
    id: 'inbound-tracker-200',
    level: 'should',
    requirement: 'An accepted delivery of the tracker is answered with 200 and queued.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const { payload } = trackerEvent(target, 'Issue');

      const answer = await target.senders.deliver(await target.senders.get('tracker'), payload);

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: 'queued' });
    },
  },
  {
    id: 'inbound-duplicate-delivery',
    level: 'should',
    requirement: 'A delivery that comes again is known, and ingested once.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');
      const { project, payload } = push(target);
      const deliveryId = randomUUID();
      await target.senders.deliver(sender, payload, { deliveryId });

      const again = await target.senders.deliver(sender, payload, { deliveryId });

      expect(again.body).toEqual({ status: 'duplicate' });
      expect(await target.senders.memoriesOf(project)).toHaveLength(1);
    },
  },
]);

/** What events become (6.1). */
const mappingChecks = defineChecks('6.1', [
  {
    id: 'inbound-push-becomes-memory',
    level: 'must',
    requirement: 'A push becomes memories with source codehost, project owner/repo and the delivery.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const { project, message, payload } = push(target);
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
    requirement: 'An Issue event of the tracker becomes a memory that carries the delivery id.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const { project, text, payload } = trackerEvent(target, 'Issue');
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
      const { project, text, payload } = trackerEvent(target, 'Comment');
      await target.senders.deliver(await target.senders.get('tracker'), payload);

      const [memory] = await target.senders.memoriesOf(project);

      expect(memory?.content).toContain(text);
    },
  },
  {
    id: 'inbound-other-events-ignored',
    level: 'should',
    requirement: 'Events of other kinds are taken in and ignored.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');

      const answer = await target.senders.deliver(sender, push(target).payload, { event: 'star' });

      expect(answer.body).toEqual({ status: 'ignored' });
    },
  },
  {
    id: 'inbound-only-chosen-events',
    level: 'must',
    requirement: 'Of the tracker, only the events that were chosen are taken in.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const sender = await target.senders.make('tracker', ['Issue']);

      const comment = await target.senders.deliver(sender, trackerEvent(target, 'Comment').payload);
      const issue = await target.senders.deliver(sender, trackerEvent(target, 'Issue').payload);

      expect([comment.body.status, issue.body.status]).toEqual(['ignored', 'queued']);
    },
  },
  {
    id: 'inbound-issue-is-kept-up-to-date',
    level: 'should',
    requirement: 'A later event of an issue updates its memory instead of making another.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('tracker');
      const { project, payload } = trackerEvent(target, 'Issue');
      await target.senders.deliver(sender, payload);
      const [first] = await target.senders.memoriesOf(project);
      const title = target.unique('renamed');
      const data = { ...payload.data, title, updatedAt: '2026-03-03T09:15:04.119Z' };
      const deliveryId = randomUUID();

      await target.senders.deliver(sender, { ...payload, action: 'update', data }, { deliveryId });
      // The next delivery of the same sender is ingested after it.
      const last = trackerEvent(target, 'Issue');
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
      const { project, payload } = push(target, `${target.unique('signed')}\n\nSigned-off-by: Ana <${address}>`);
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
      const sender = await target.senders.make('codehost');
      const { project, payload } = push(target, `${target.unique('leaks')} AKIA${'QXB7JT2M4ZPLW6CV'}`);
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
      const { project, payload } = push(target);
      await target.senders.deliver(await target.senders.get('codehost'), payload);
      const [memory] = await target.senders.memoriesOf(project);

      const query = { memoryId: memory?.id };
      const { body } = await target.send('GET', '/api/organization/audit-events', undefined, { query });

      expect(body.auditEvents).toMatchObject([{ memoryId: memory?.id, source: 'webhook' }]);
    },
  },
]);

/** A check that a queued delivery is dropped where a write would be refused. */
function dropped(token: 'unpaid' | 'overQuota', reason: string): Omit<Check, 'section'> {
  return {
    id: `inbound-${token === 'unpaid' ? 'unpaid' : 'over-quota'}-dropped`,
    level: 'must',
    requirement: `A delivery to an organization that would get ${reason} is dropped, and makes no memory.`,
    needs: ['inbound-webhooks', 'management', token === 'unpaid' ? 'billing' : 'quota'],
    async run(target) {
      const credential = target.profile.tokens[token];
      const sender = await target.senders.make('codehost', undefined, credential);
      const deliveryId = randomUUID();
      await target.senders.deliver(sender, push(target).payload, { deliveryId });

      const fate = await target.senders.fateOf(sender, deliveryId, credential);

      expect(fate).toMatchObject({ state: 'failed', reason });
    },
  };
}

/** Inbound webhooks (4.14, 6.1, and their rule in 5.5). */
export const inboundChecks: readonly Check[] = [
  ...deliveryChecks,
  ...mappingChecks,
  ...defineChecks('5.5', [dropped('unpaid', 'entitlement_required'), dropped('overQuota', 'quota_exceeded')]),
];
