/** Who uses a resource, seen from one side: a tenant, a credential, an address, an endpoint. */
export interface Owner {
  kind: string;
  id: string;
}

export interface ResourceBounds {
  /** The most that all owners together have in use. */
  capacity: number;
  /** The most that one owner has in use, by kind of owner; kinds that are absent have no share. */
  shares: Readonly<Record<string, number>>;
  /** How many requests for the resource may wait, all together; none unless given. */
  maxWaiting?: number;
  /** How many of those may be of one owner, by kind; kinds that are absent are not bounded. */
  waitingShares?: Readonly<Record<string, number>>;
}

/** What metrics report of a resource. */
export interface ResourceUse {
  inUse: number;
  waiting: number;
  /** Refusals since the start of the process. */
  refused: number;
}

/** What is in use of a resource until it is released. Releasing it twice changes nothing. */
export interface Lease extends Disposable {
  release(): void;
}

/** The bound that a refused request met: a kind of owner, or the capacity for all. */
export type RefusedBy = 'capacity' | (string & {});

/** The resource, or the owner's share of it, is in use, and so is every place to wait. */
export class ShareExceededError extends Error {
  override name = 'ShareExceededError';

  constructor(
    readonly resource: string,
    readonly by: RefusedBy,
    /** The amount that the bound allows, in use or waiting. */
    readonly limit: number,
  ) {
    super(`${resource}: the ${by === 'capacity' ? 'capacity' : `share of one ${by}`} is in use`);
  }
}

interface Waiting {
  owners: readonly Owner[];
  amount: number;
  grant: (lease: Lease) => void;
}

/**
 * The fairness rule of this service: a resource that all tenants share has a
 * capacity, a share per owner, a bounded queue, and is given in turn.
 *
 * - A request within the capacity and within the share of each of its owners
 *   is granted at once.
 * - Otherwise it waits, if it may. Waiting requests are served round robin
 *   over their first owners, so that an owner with a thousand requests delays
 *   another's by one request, not by a thousand.
 * - What can neither be granted nor wait is refused, and the refusal names the
 *   bound.
 *
 * Deadlines are the caller's: it aborts the wait by a signal.
 */
export class SharedResource {
  readonly #bounds: ResourceBounds;
  readonly #inUseOf = new Map<string, number>();
  readonly #waitingOf = new Map<string, number>();
  /** Requests by their first owner; the owner whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  #inUse = 0;
  #waiting = 0;
  #refused = 0;

  constructor(
    readonly name: string,
    bounds: ResourceBounds,
  ) {
    this.#bounds = bounds;
  }

  get use(): ResourceUse {
    return { inUse: this.#inUse, waiting: this.#waiting, refused: this.#refused };
  }

  /**
   * Grants `amount` at once.
   *
   * @throws {ShareExceededError} when the capacity or a share is in use
   */
  take(owners: readonly Owner[], amount = 1): Lease {
    const exceeded = this.#exceeded(owners, amount);
    if (exceeded !== undefined) throw this.#refusal(exceeded, this.#bounds.shares);
    return this.#grant(owners, amount);
  }

  /** Counts `amount` as in use whatever the bounds: for what is there already. The next requests meet the bounds. */
  hold(owners: readonly Owner[], amount: number): Lease {
    return this.#grant(owners, amount);
  }

  /**
   * Grants `amount` at once, or when it is this request's turn.
   *
   * @param signal ends the wait: the promise rejects with its reason
   * @throws {ShareExceededError} when there is no place to wait
   */
  async wait(owners: readonly Owner[], amount = 1, signal?: AbortSignal): Promise<Lease> {
    signal?.throwIfAborted();
    const queue = this.#queueOf(owners);
    if (!this.#queues.has(queue) && this.#exceeded(owners, amount) === undefined) return this.#grant(owners, amount);
    this.#assertMayWait(owners);
    return new Promise((resolve, reject) => {
      const request: Waiting = { owners, amount, grant: resolve };
      this.#enqueue(queue, request);
      const abort = () => {
        this.#dequeue(queue, request);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      request.grant = (lease) => {
        signal?.removeEventListener('abort', abort);
        resolve(lease);
      };
    });
  }

  /** The bound that `amount` more would exceed. What nobody else uses is granted whatever its amount. */
  #exceeded(owners: readonly Owner[], amount: number): RefusedBy | undefined {
    const { capacity } = this.#bounds;
    for (const owner of owners) {
      const share = this.#bounds.shares[owner.kind];
      const inUse = this.#inUseOf.get(keyOf(owner)) ?? 0;
      if (share !== undefined && inUse > 0 && inUse + amount > share) return owner.kind;
    }
    const isFree = this.#inUse === 0 && capacity > 0;
    return !isFree && this.#inUse + amount > capacity ? 'capacity' : undefined;
  }

  #grant(owners: readonly Owner[], amount: number): Lease {
    const count = (by: number) => {
      this.#inUse += by;
      for (const owner of owners) add(this.#inUseOf, keyOf(owner), by);
    };
    count(amount);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      count(-amount);
      this.#serve();
    };
    return { release, [Symbol.dispose]: release };
  }

  /** Grants what can be granted now, one request of each owner in turn. */
  #serve(): void {
    let passedOver = 0;
    while (passedOver < this.#queues.size) {
      const [queue, requests] = firstOf(this.#queues);
      const [request] = requests;
      if (!request) return;
      const exceeded = this.#exceeded(request.owners, request.amount);
      if (exceeded === 'capacity') return;
      // To the end of the line, whether it was served or waits for its own share.
      this.#queues.delete(queue);
      this.#queues.set(queue, requests);
      if (exceeded !== undefined) {
        passedOver += 1;
        continue;
      }
      this.#dequeue(queue, request);
      request.grant(this.#grant(request.owners, request.amount));
      passedOver = 0;
    }
  }

  #assertMayWait(owners: readonly Owner[]): void {
    const { maxWaiting = 0, waitingShares = {} } = this.#bounds;
    if (this.#waiting >= maxWaiting) throw this.#refusal('capacity', maxWaiting > 0 ? { capacity: maxWaiting } : {});
    for (const owner of owners) {
      const share = waitingShares[owner.kind];
      if (share === undefined || (this.#waitingOf.get(keyOf(owner)) ?? 0) < share) continue;
      throw this.#refusal(owner.kind, waitingShares);
    }
  }

  #enqueue(queue: string, request: Waiting): void {
    const requests = this.#queues.get(queue);
    if (requests) requests.push(request);
    else this.#queues.set(queue, [request]);
    this.#countWaiting(request, 1);
  }

  #dequeue(queue: string, request: Waiting): void {
    const requests = this.#queues.get(queue) ?? [];
    const at = requests.indexOf(request);
    if (at < 0) return;
    requests.splice(at, 1);
    if (requests.length === 0) this.#queues.delete(queue);
    this.#countWaiting(request, -1);
  }

  #countWaiting({ owners }: Waiting, by: number): void {
    this.#waiting += by;
    for (const owner of owners) add(this.#waitingOf, keyOf(owner), by);
  }

  #refusal(by: RefusedBy, shares: Readonly<Record<string, number>>): ShareExceededError {
    this.#refused += 1;
    return new ShareExceededError(this.name, by, shares[by] ?? this.#bounds.capacity);
  }

  #queueOf([first]: readonly Owner[]): string {
    return first === undefined ? '' : keyOf(first);
  }
}

function keyOf({ kind, id }: Owner): string {
  return `${kind}:${id}`;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function firstOf<Key, Value>(map: Map<Key, Value>): [Key, Value] {
  for (const entry of map) return entry;
  throw new Error('nothing is in the map');
}
