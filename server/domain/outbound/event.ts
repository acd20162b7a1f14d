import type { Memory, Written } from '../memory/memory.js';
import { formatTimestamp, type Microseconds } from '../timestamp.js';

export const OUTBOUND_EVENTS = ['memory.ingested', 'memory.updated', 'memory.deleted'] as const;

/** Name of an event that endpoints can subscribe to (section 6.2). */
export type OutboundEventName = (typeof OUTBOUND_EVENTS)[number];

/** Name of an event that an owner sends to an endpoint to test it. Nobody subscribes to it. */
export const TEST_EVENT = 'webhook.test';

/** Name of any event that is delivered. */
export type DeliveredEventName = OutboundEventName | typeof TEST_EVENT;

/** A change of a memory, to be sent to endpoints. */
export interface OutboundEvent {
  name: OutboundEventName;
  at: Microseconds;
  memory: Pick<Memory, 'id' | 'metadata'>;
  outcome: Written['outcome'] | 'deleted';
}

/** Returns the event of a write, or undefined for a replay that changed nothing. */
export function eventOf({ memory, outcome, untouched }: Written, now: Microseconds): OutboundEvent | undefined {
  if (outcome === 'deduplicated' && untouched) return undefined;
  const name = outcome === 'created' ? 'memory.ingested' : 'memory.updated';
  return { name, at: untouched ? now : memory.updatedAt, memory, outcome };
}

export function deletionOf(memory: Memory): OutboundEvent {
  return { name: 'memory.deleted', at: memory.updatedAt, memory, outcome: 'deleted' };
}

/** Returns the JSON that is sent. It never contains the content of the memory. */
export function eventBody({ name, at, memory, outcome }: OutboundEvent): string {
  return bodyOf(name, at, { id: memory.id, outcome, metadata: memory.metadata });
}

/** Returns the JSON of a test event, which has the form of the other events. */
export function testEventBody(webhookId: string, now: Microseconds): string {
  return bodyOf(TEST_EVENT, now, { id: webhookId, outcome: 'test', metadata: {} });
}

function bodyOf(event: DeliveredEventName, at: Microseconds, payload: object): string {
  return JSON.stringify({ event, timestamp: formatTimestamp(at), payload });
}
