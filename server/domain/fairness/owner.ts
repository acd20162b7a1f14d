/** Who uses a resource, seen from one side: a tenant, a credential, an address, an endpoint. */
export interface Owner {
  kind: string;
  id: string;
}

/** The bound that a refused request met: a kind of owner, or the capacity for all. */
export type RefusedBy = 'capacity' | (string & {});

/** The resource, or the owner's share of it, is in use, and so is every place to wait; or no turn came in time. */
export class ShareExceededError extends Error {
  override name = 'ShareExceededError';

  constructor(
    readonly resource: string,
    readonly by: RefusedBy,
    /** The amount that the bound allows, in use or waiting. */
    readonly limit: number,
    /** How long the request waited for its turn; undefined if there was no place to wait. */
    readonly waitedMs?: number,
  ) {
    const bound = by === 'capacity' ? 'capacity' : `share of one ${by}`;
    const waited = waitedMs === undefined ? '' : `, and no turn came within ${waitedMs} ms`;
    super(`${resource}: the ${bound} is in use${waited}`);
  }
}

/** The key of an owner, unique over all kinds. */
export function keyOf({ kind, id }: Owner): string {
  return `${kind}:${id}`;
}

export function isKeyOfKind(key: string, kind: string): boolean {
  return key.startsWith(`${kind}:`);
}
