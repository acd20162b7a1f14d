/** A memory as an event of a sender describes it, to be upserted by its key. */
export interface MappedMemory {
  externalKey: string;
  scope: { source: string; project?: string };
  content: string;
  metadata: Record<string, unknown>;
  /** When the sender's own object changed, ISO 8601: an older state never replaces a newer one. */
  changedAt?: string;
}

/** What is to be stored of an event; nothing where it tells nothing worth storing. */
export interface MappedEvent {
  memories: MappedMemory[];
  /** How many more the event had. */
  omitted: number;
}

/** What the mapper is told besides the payload. */
export interface MappingContext {
  /** The sender's id of the delivery, kept in the metadata. */
  deliveryId: string;
  /** Unicode code points that a memory's content may have; what is longer is cut. */
  contentLength: number;
}

export const NOTHING: MappedEvent = { memories: [], omitted: 0 };

/** `Commit 1a2b3c4 on main of acme/api by Ann`, its unknown parts left out. */
export function describe(
  kind: string,
  name: string | undefined,
  parts: readonly (readonly [preposition: string, value: string | undefined])[],
): string {
  const known = parts.flatMap(([preposition, value]) => (value === undefined ? [] : [`${preposition} ${value}`]));
  return [kind, ...(name === undefined ? [] : [name]), ...known].join(' ');
}
