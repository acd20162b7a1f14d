import { expect } from 'vitest';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';

interface AuditEvent {
  action: string;
  memoryId?: string;
  batchId?: string;
  source: string;
  actor: { type: string; id: string; userId?: string };
  metadata: Record<string, unknown>;
}

async function eventsOf(target: Target, query: Record<string, unknown>, token = target.token): Promise<AuditEvent[]> {
  const answer = await target.send('GET', '/api/organization/audit-events', undefined, { query, token });
  if (answer.status === 200) return answer.body.auditEvents as AuditEvent[];
  throw new PrerequisiteError(`the audit events were answered with ${answer.status}`);
}

/** Action → a write of that kind, which returns the id of its memory. */
const WRITES: Record<string, (target: Target) => Promise<string>> = {
  ingest: async (target) => (await target.stored()).id,
  upsert: async (target) => (await target.storedByKey()).id,
  update: async (target) => {
    const { id } = await target.stored();
    await target.patch(id, { metadata: { seen: 1 } });
    return id;
  },
  delete: async (target) => (await target.deleted()).id,
};

function audits(operation: string): Omit<Check, 'section'> {
  return {
    id: `audit-of-${operation}`,
    level: 'must',
    requirement: `A successful ${operation} writes an audit event with its action, its actor and the id of the memory.`,
    needs: ['management'],
    async run(target) {
      const memoryId = (await WRITES[operation]?.(target)) ?? '';

      const events = await eventsOf(target, { memoryId, action: `memory.${operation}` });

      expect(events).toMatchObject([{ memoryId, actor: { type: expect.any(String), id: expect.any(String) } }]);
    },
  };
}

/** The audit events of an organization (2.4). */
export const auditChecks = defineChecks('2.4', [
  ...Object.keys(WRITES).map(audits),
  {
    id: 'audit-of-batch',
    level: 'must',
    requirement: 'A batch writes audit events for the accepted memories.',
    needs: ['management'],
    async run(target) {
      const { ids } = await target.batch([target.fields(), { content: 7 }, target.fields()]);
      const taken = ids.filter((id) => id !== undefined);

      const events = await Promise.all(taken.map((memoryId) => eventsOf(target, { memoryId })));

      expect(events.map((own) => own.length)).toEqual([1, 1]);
      expect(events[0]?.[0]?.batchId).toBeDefined();
      expect(events[0]?.[0]?.batchId).toBe(events[1]?.[0]?.batchId);
    },
  },
  {
    id: 'audit-outcome',
    level: 'must',
    requirement: 'The event of a write has its outcome, and dedupe if a repetition was recognised.',
    needs: ['management'],
    async run(target) {
      const { id: memoryId, content } = await target.stored();
      await target.ingest({ content });

      const told = (await eventsOf(target, { memoryId })).map(({ metadata }) => metadata);

      expect(told).toMatchObject([{ outcome: 'deduplicated', dedupe: 'exact' }, { outcome: 'created' }]);
    },
  },
  {
    id: 'audit-actor-is-token',
    level: 'must',
    requirement: 'The actor of a request by token is that token.',
    needs: ['management', 'limited-tokens'],
    async run(target) {
      const token = await target.limitedToken('memory:ingest');
      const { id: memoryId } = await target.stored({}, { token });
      const { credential } = (await target.send('GET', '/api/session', undefined, { token })).body;

      const [event] = await eventsOf(target, { memoryId });

      expect(event?.actor).toMatchObject({ type: 'token', id: (credential as { id: string }).id });
    },
  },
  {
    id: 'audit-holds-no-content',
    level: 'must',
    requirement: 'Audit events never contain content or metadata values.',
    needs: ['management'],
    async run(target) {
      const [content, value] = [target.unique('secret plan'), target.word()];
      const { id: memoryId } = await target.stored({ content, metadata: { value } });
      await target.patch(memoryId, { content: `${content} changed` });

      const told = JSON.stringify(await eventsOf(target, { memoryId }));

      expect(told).not.toContain(content);
      expect(told).not.toContain(value);
    },
  },
  {
    id: 'audit-of-success-alone',
    level: 'must',
    requirement: 'A rejected request writes no event.',
    needs: ['management'],
    async run(target) {
      const { id: memoryId } = await target.stored();
      const { content } = await target.stored();
      await target.patch(memoryId, { content });
      await target.patch(memoryId, {});

      expect((await eventsOf(target, { memoryId })).map(({ action }) => action)).toEqual(['memory.ingest']);
    },
  },
  {
    id: 'audit-of-own-organization',
    level: 'must',
    requirement: 'Audit events are of one organization, and no other sees them.',
    needs: ['management', 'second-organization'],
    async run(target) {
      const { id: memoryId } = await target.stored();

      expect(await eventsOf(target, { memoryId }, target.secondToken)).toEqual([]);
    },
  },
  {
    id: 'audit-pages',
    level: 'should',
    requirement: 'Audit events are listed newest first, page by page.',
    needs: ['management'],
    async run(target) {
      const { id: memoryId } = await target.stored();
      await target.patch(memoryId, { metadata: { a: 1 } });
      await target.delete(memoryId);
      const query = { memoryId, limit: 2 };

      const first = await target.send('GET', '/api/organization/audit-events', undefined, { query });
      const next = { ...query, cursor: first.body.nextCursor };
      const events = [...(first.body.auditEvents as AuditEvent[]), ...(await eventsOf(target, next))];

      expect(events.map(({ action }) => action)).toEqual(['memory.delete', 'memory.update', 'memory.ingest']);
    },
  },
  {
    id: 'audit-of-tools',
    level: 'should',
    requirement: 'A write through a tool is audited like one over REST, with the tool as its source.',
    needs: ['management', 'mcp'],
    async run(target) {
      const { data } = await target.tools.call({ token: target.token }, 'memory_ingest', { ...target.fields() });

      const [event] = await eventsOf(target, { memoryId: data.id });

      expect(event).toMatchObject({ action: 'memory.ingest', source: 'mcp' });
    },
  },
]);
