import * as Flags from '@oclif/core/flags';
import { timeFlag } from './time-flag.js';

/** Flags that select audit events. */
export const auditFlags = {
  action: Flags.string({
    description: 'only events with this action, such as memory.ingest; can be repeated',
    multiple: true,
  }),
  actor: Flags.string({ description: 'only events by this token, user or webhook' }),
  memory: Flags.string({ description: 'only events about this memory' }),
  since: timeFlag('only events from this time on'),
  source: Flags.option({
    description: 'only events of requests through this surface',
    options: ['rest', 'mcp', 'dashboard', 'webhook', 'operator'] as const,
  })(),
  until: timeFlag('only events before this time'),
};

type Selected = {
  action?: string[] | undefined;
  actor?: string | undefined;
  memory?: string | undefined;
  since?: string | undefined;
  source?: 'rest' | 'mcp' | 'dashboard' | 'webhook' | 'operator' | undefined;
  until?: string | undefined;
};

/** Returns the query that the flags describe. */
export function toAuditQuery({ action, actor, memory, since, source, until }: Selected) {
  return { action, actorId: actor, memoryId: memory, since, source, until };
}
