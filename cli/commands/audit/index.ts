import type { AuditEvent } from '@memory-service/sdk';
import { PAGE_LIMIT } from '@memory-service/sdk/constants';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { collect } from '../../lib/collect.js';
import { auditFlags, toAuditQuery } from '../../lib/flags/audit-flags.js';

export default class Audit extends BaseCommand<typeof Audit> {
  static override description = 'list the audit events of the organization, newest first; for owners';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --action memory.delete --since 2026-03-01T00:00:00Z',
    '<%= config.bin %> <%= command.id %> --memory 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11 --json',
  ];

  static override flags = {
    ...auditFlags,
    limit: Flags.integer({ char: 'n', default: 50, description: 'how many to return', min: 1 }),
  };

  override async run(): Promise<{ events: AuditEvent[] }> {
    const { limit, ...selected } = this.flags;
    const client = await this.client();
    const query = { ...toAuditQuery(selected), limit: Math.min(limit, PAGE_LIMIT.maximum) };
    const events = await collect(client.audit.list(query), limit);
    this.table(
      events,
      [
        { heading: 'time', text: ({ occurredAt }) => occurredAt.slice(0, 19) },
        { heading: 'action', text: (event) => event.action },
        { heading: 'by', text: ({ actor }) => `${actor.type} ${actor.name ?? actor.email ?? actor.id}` },
        { heading: 'through', text: ({ source }) => source },
        { heading: 'memory', text: ({ memoryId }) => memoryId },
        { heading: 'what', text: ({ metadata }) => metadata.outcome ?? metadata.changed?.join(' ') },
      ],
      'no events',
    );
    return { events };
  }
}
