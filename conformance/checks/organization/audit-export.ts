import { expect } from 'vitest';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';

const EVENTS = '/api/organization/audit-events';

interface AuditEvent {
  action: string;
  actor: { type: string; userId?: string; name?: string; email?: string };
}

async function exported(target: Target, query: Record<string, unknown>) {
  const answer = await target.send('GET', `${EVENTS}/export`, undefined, { query });
  if (answer.status !== 200) throw new PrerequisiteError(`the export was answered with ${answer.status}`);
  return { text: answer.text, cursor: answer.headers.get('x-next-cursor') };
}

/** Returns the texts of two pages with one event each. */
async function twoPages(target: Target, query: Record<string, unknown>): Promise<string[]> {
  const first = await exported(target, { ...query, limit: 1 });
  const second = await exported(target, { ...query, limit: 1, cursor: first.cursor });
  return [first.text, second.text];
}

async function changed(target: Target): Promise<string> {
  const { id } = await target.stored();
  await target.patch(id, { metadata: { a: 1 } });
  return id;
}

async function listed(target: Target, query: Record<string, unknown>): Promise<AuditEvent[]> {
  const { status, body } = await target.send('GET', EVENTS, undefined, { query });
  if (status !== 200) throw new PrerequisiteError(`the audit events were answered with ${status}`);
  return body.auditEvents as AuditEvent[];
}

/** Filters, names and exports of the audit log (2.4). */
export const auditExportChecks = defineChecks('2.4', [
  {
    id: 'audit-of-several-actions',
    level: 'should',
    requirement: 'Audit events are filtered by several actions at once.',
    needs: ['management'],
    async run(target) {
      const memoryId = await changed(target);
      await target.delete(memoryId);

      const events = await listed(target, { memoryId, action: 'memory.delete,memory.ingest' });

      expect(events.map(({ action }) => action)).toEqual(['memory.delete', 'memory.ingest']);
    },
  },
  {
    id: 'audit-by-source',
    level: 'should',
    requirement: 'Audit events are filtered by the surface of the request.',
    needs: ['management'],
    async run(target) {
      const { id: memoryId } = await target.stored();

      const [own, other] = [
        await listed(target, { memoryId, source: 'rest' }),
        await listed(target, { memoryId, source: 'operator' }),
      ];

      expect([own.length, other.length]).toEqual([1, 0]);
    },
  },
  {
    id: 'audit-names-actors',
    level: 'should',
    requirement: 'The actor of an event has the name of its token and the address of its user.',
    needs: ['management', 'limited-tokens'],
    async run(target) {
      const token = await target.limitedToken('memory:ingest');
      const { id: memoryId } = await target.stored({}, { token });
      const { credential, user } = (await target.send('GET', '/api/session', undefined, { token })).body;

      const [event] = await listed(target, { memoryId });

      const [name, email] = [(credential as { name: string }).name, (user as { email: string }).email];
      expect(event?.actor).toMatchObject({ name, email });
    },
  },
  {
    id: 'audit-export-lines',
    level: 'should',
    requirement: 'Audit events are exported as lines of JSON, newest first, page by page.',
    needs: ['management'],
    async run(target) {
      const memoryId = await changed(target);

      const pages = await twoPages(target, { memoryId });

      const events = pages.map((text) => (text.endsWith('\n') ? (JSON.parse(text) as AuditEvent) : undefined));
      expect(events.map((event) => event?.action)).toEqual(['memory.update', 'memory.ingest']);
    },
  },
  {
    id: 'audit-export-csv',
    level: 'should',
    requirement: 'Audit events are exported as CSV: the names of the columns once, and rows that end with CR LF.',
    needs: ['management'],
    async run(target) {
      const memoryId = await changed(target);

      const pages = await twoPages(target, { memoryId, format: 'csv' });

      const rows = pages.join('').split('\r\n');
      expect(rows).toHaveLength(4);
      expect(rows.map((row) => row.split(',')[2])).toEqual(['action', 'memory.update', 'memory.ingest', undefined]);
    },
  },
  {
    id: 'audit-export-accept',
    level: 'should',
    requirement: 'An `Accept` of text/csv exports CSV.',
    needs: ['management'],
    async run(target) {
      const headers = { accept: 'text/csv' };

      const answer = await target.send('GET', `${EVENTS}/export`, undefined, { headers, query: { limit: 1 } });

      expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    },
  },
  {
    id: 'audit-export-no-formulas',
    level: 'should',
    requirement: 'A cell of an exported CSV never begins like a formula: it begins with an apostrophe instead.',
    needs: ['management'],
    async run(target) {
      const { id: memoryId } = await target.stored({}, { headers: { 'user-agent': '=cmd()' } });

      const { text } = await exported(target, { memoryId, format: 'csv' });

      expect(text).toContain(",'=cmd(),");
    },
  },
]);
