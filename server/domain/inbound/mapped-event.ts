/** A memory that an event describes, to be upserted by its external key. */
export interface MappedMemory {
  externalKey: string;
  scope: { source: string; project?: string };
  content: string;
  metadata: Record<string, unknown>;
  /** Time of the change at the sender, ISO 8601. An older state never replaces a newer one. */
  changedAt?: string;
}

/** The memories of an event; empty if there is nothing to store. */
export interface MappedEvent {
  memories: MappedMemory[];
  /** Number of memories beyond the limit. */
  omitted: number;
}

/** Input of the mapper in addition to the payload. */
export interface MappingContext {
  /** The sender's id of the delivery, stored in the metadata. */
  deliveryId: string;
  /** Maximum content length in Unicode code points. Longer contents are truncated. */
  contentLength: number;
}

export const NOTHING: MappedEvent = { memories: [], omitted: 0 };

/** Returns a text such as `Commit 1a2b3c4 on main of acme/api by Ann`, without its unknown parts. */
export function describe(
  kind: string,
  name: string | undefined,
  parts: readonly (readonly [preposition: string, value: string | undefined])[],
): string {
  const known = parts.flatMap(([preposition, value]) => (value === undefined ? [] : [`${preposition} ${value}`]));
  return [kind, ...(name === undefined ? [] : [name]), ...known].join(' ');
}
