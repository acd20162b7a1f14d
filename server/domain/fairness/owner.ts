/** A user of a resource: a tenant, a credential, an address or an endpoint. One request may have several owners. */
export interface Owner {
  kind: string;
  id: string;
}

/** Returns the owner of work of a tenant, or of the service itself if `tenant` is undefined. */
export function tenantOrService(tenant: string | undefined): Owner {
  return tenant === undefined ? { kind: 'service', id: 'service' } : { kind: 'tenant', id: tenant };
}

/** Bound that a rejected request would exceed: the share of a kind of owner, or the capacity. */
export type RefusedBy = 'capacity' | (string & {});

/** The resource or the owner's share is in use, and the queue is full or the wait took too long. */
export class ShareExceededError extends Error {
  override name = 'ShareExceededError';

  constructor(
    readonly resource: string,
    readonly by: RefusedBy,
    /** Amount that the bound allows, in use or waiting. */
    readonly limit: number,
    /** Time that the request waited; undefined if the queue was full. */
    readonly waitedMs?: number,
  ) {
    const bound = by === 'capacity' ? 'capacity' : `share of one ${by}`;
    const waited = waitedMs === undefined ? '' : `, and no turn came within ${waitedMs} ms`;
    super(`${resource}: the ${bound} is in use${waited}`);
  }
}

/** Returns a key that is unique over all kinds of owners. */
export function keyOf({ kind, id }: Owner): string {
  return `${kind}:${id}`;
}

export function isKeyOfKind(key: string, kind: string): boolean {
  return key.startsWith(`${kind}:`);
}
