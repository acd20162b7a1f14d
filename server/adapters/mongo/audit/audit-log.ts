import type { AuditEvent } from '../../../domain/account/audit-event.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { AuditLog, AuditQuery } from '../../../ports/audit-log.js';
import type { Collections } from '../engine/collections.js';
import { partOf } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';
import { limitedTo, page } from '../engine/paging.js';

export class MongoAuditLog implements AuditLog {
  readonly #auditEvents: Collections['auditEvents'];

  constructor({ auditEvents }: Pick<Collections, 'auditEvents'>) {
    this.#auditEvents = auditEvents;
  }

  async list(organizationId: string, query: AuditQuery): Promise<AuditEvent[]> {
    const { actions, actorId, memoryId, source, since, until, after, limit } = query;
    const scope = {
      org: organizationId,
      ...(actions && { action: { $in: [...actions] } }),
      ...(actorId !== undefined && { 'actor.id': actorId }),
      ...(memoryId !== undefined && { memoryId }),
      ...(source !== undefined && { source }),
      ...((since !== undefined || until !== undefined) && { occurredAt: { $gte: since, $lt: until } }),
    };
    const { filter, options } = page(scope, { time: 'occurredAt', direction: -1, after, limit });
    const found = await guarded(() => this.#auditEvents.find(filter, options).toArray());
    return found.map((document) => partOf(document));
  }

  async deleteBefore(organizationId: string, before: Microseconds, limit: number): Promise<number> {
    return guarded(async () => {
      const sort = { occurredAt: 1, _id: 1 } as const;
      const options = { projection: { _id: 1 }, sort, ...limitedTo(limit) } as const;
      const outdated = await this.#auditEvents
        .find({ org: organizationId, occurredAt: { $lt: before } }, options)
        .toArray();
      if (outdated.length === 0) return 0;
      const { deletedCount } = await this.#auditEvents.deleteMany({ _id: { $in: outdated.map(({ _id }) => _id) } });
      return deletedCount;
    });
  }
}
