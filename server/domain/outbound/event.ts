import type { Memory, Written } from '../memory/memory.js';
import { formatTimestamp, type Microseconds } from '../timestamp.js';

export const OUTBOUND_EVENTS = ['memory.ingested', 'memory.updated', 'memory.deleted'] as const;

/** What customers are told of (section 6.2). */
export type OutboundEventName = (typeof OUTBOUND_EVENTS)[number];

/** A change of a memory as it is told. */
export interface OutboundEvent {
  name: OutboundEventName;
  at: Microseconds;
  memory: Pick<Memory, 'id' | 'metadata'>;
  outcome: Written['outcome'] | 'deleted';
}

/**
 * The event of a write, where there is one: a replay that changed nothing
 * has none.
 */
export function eventOf({ memory, outcome, untouched }: Written, now: Microseconds): OutboundEvent | undefined {
  if (outcome === 'deduplicated' && untouched) return undefined;
  const name = outcome === 'created' ? 'memory.ingested' : 'memory.updated';
  return { name, at: untouched ? now : memory.updatedAt, memory, outcome };
}

export function deletionOf(memory: Memory): OutboundEvent {
  return { name: 'memory.deleted', at: memory.updatedAt, memory, outcome: 'deleted' };
}

/** The JSON that is sent. Never holds the content of the memory. */
export function eventBody({ name, at, memory, outcome }: OutboundEvent): string {
  const payload = { id: memory.id, outcome, metadata: memory.metadata };
  return JSON.stringify({ event: name, timestamp: formatTimestamp(at), payload });
}
