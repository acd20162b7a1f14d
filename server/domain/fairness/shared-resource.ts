import { isKeyOfKind, keyOf, type Owner, type RefusedBy, ShareExceededError } from './owner.js';
import { addTo, type LineBounds, WaitingLine } from './waiting-line.js';

export interface ResourceBounds extends LineBounds {
  /** Maximum amount that all owners use together. */
  capacity: number;
  /** Maximum amount that one owner uses, by kind of owner. Kinds without an entry have no limit. */
  shares: Readonly<Record<string, number>>;
}

/** Figures of a resource for the metrics. */
export interface ResourceUse {
  inUse: number;
  waiting: number;
  /** Rejected requests since the start of the process. */
  refused: number;
}

/** An amount of a resource that is in use until it is released. A second release does nothing. */
export interface Lease extends Disposable {
  release(): void;
}

interface Waiting {
  amount: number;
  grant: (lease: Lease) => void;
  reject: (error: unknown) => void;
}

/**
 * Grants a resource fairly to its owners. The resource has a capacity, a share per owner and a bounded queue.
 *
 * - A request within the capacity and within the share of each of its owners is granted immediately.
 * - Other requests wait if the queue has room. They are served round robin by their first owners, so that an owner with
 *   a thousand requests delays another owner by one request.
 * - A request that can neither be granted nor wait, or has waited too long, is rejected. The error names the bound.
 */
export class SharedResource {
  readonly #bounds: ResourceBounds;
  readonly #inUseOf = new Map<string, number>();
  readonly #line: WaitingLine<Waiting>;
  #inUse = 0;
  /** Rejected requests that did not wait. */
  #refused = 0;

  constructor(
    readonly name: string,
    bounds: ResourceBounds,
  ) {
    this.#bounds = bounds;
    this.#line = new WaitingLine(name, bounds);
  }

  get use(): ResourceUse {
    const { waiting, refused } = this.#line;
    return { inUse: this.#inUse, waiting, refused: this.#refused + refused };
  }

  /** Returns the amount that an owner uses. */
  inUseOf(owner: Owner): number {
    return this.#inUseOf.get(keyOf(owner)) ?? 0;
  }

  /** Reports if an owner uses at least the average of the owners of its kind that use anything. */
  isAmongLargest(owner: Owner): boolean {
    const amounts = [...this.#inUseOf].flatMap(([key, amount]) => (isKeyOfKind(key, owner.kind) ? [amount] : []));
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    return amounts.length > 0 && this.inUseOf(owner) * amounts.length >= total;
  }

  /**
   * Grants `amount` immediately.
   *
   * @throws {ShareExceededError} if the capacity or a share is in use
   */
  take(owners: readonly Owner[], amount = 1): Lease {
    this.assertFree(owners, amount);
    return this.#grant(owners, amount);
  }

  /** @throws {ShareExceededError} if {@link take} would throw it */
  assertFree(owners: readonly Owner[], amount = 1): void {
    const exceeded = this.#exceeded(owners, amount);
    if (exceeded !== undefined) throw this.#refusal(exceeded);
  }

  /** Counts an amount that already exists as in use, whatever the bounds. The bounds apply to later requests. */
  hold(owners: readonly Owner[], amount: number): Lease {
    return this.#grant(owners, amount);
  }

  /**
   * Grants `amount` immediately or when it is this request's turn. Only the service itself waits without a deadline.
   *
   * @param signal ends the wait; the promise rejects with its reason
   * @throws {ShareExceededError} if the queue is full, or the wait takes too long
   */
  async wait(owners: readonly Owner[], amount = 1, signal?: AbortSignal): Promise<Lease> {
    signal?.throwIfAborted();
    if (this.#bounds.maxWaiting === undefined) return this.take(owners, amount);
    if (!this.#line.has(owners) && this.#exceeded(owners, amount) === undefined) return this.#grant(owners, amount);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#line.leave(place);
        reject(signal?.reason);
      };
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          signal?.removeEventListener('abort', abort);
          settle(value);
        };
      };
      const waiting: Waiting = { amount, grant: settled(resolve), reject: settled(reject) };
      const heldBy = () => this.#bound(this.#exceeded(owners, amount) ?? 'capacity');
      const isService = owners[0]?.kind === 'service';
      const place = isService ? this.#line.push(owners, waiting) : this.#line.add(owners, waiting, heldBy);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Returns the bound that `amount` would exceed. If nothing is in use, any amount is allowed. */
  #exceeded(owners: readonly Owner[], amount: number): RefusedBy | undefined {
    const { capacity } = this.#bounds;
    for (const owner of owners) {
      const share = this.#bounds.shares[owner.kind];
      if (share === undefined) continue;
      const inUse = this.inUseOf(owner);
      if (inUse > 0 && inUse + amount > share) return owner.kind;
    }
    const isFree = this.#inUse === 0 && capacity > 0;
    return !isFree && this.#inUse + amount > capacity ? 'capacity' : undefined;
  }

  #grant(owners: readonly Owner[], amount: number): Lease {
    const keys = owners.map(keyOf);
    const count = (by: number) => {
      this.#inUse += by;
      for (const key of keys) addTo(this.#inUseOf, key, by);
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

  /** Grants every request that can be granted now, one request of each owner in turn. */
  #serve(): void {
    let passedOver = 0;
    while (passedOver < this.#line.owners) {
      const place = this.#line.next();
      if (!place) return;
      const { amount, grant } = place.item;
      const exceeded = this.#exceeded(place.owners, amount);
      if (exceeded === 'capacity') return;
      // The turn ends, even if the owner was not served because its share is in use.
      this.#line.pass(place);
      if (exceeded !== undefined) {
        passedOver += 1;
        continue;
      }
      this.#line.leave(place);
      grant(this.#grant(place.owners, amount));
      passedOver = 0;
    }
  }

  #refusal(exceeded: RefusedBy): ShareExceededError {
    this.#refused += 1;
    const { by, limit } = this.#bound(exceeded);
    return new ShareExceededError(this.name, by, limit);
  }

  #bound(by: RefusedBy): { by: RefusedBy; limit: number } {
    return { by, limit: this.#bounds.shares[by] ?? this.#bounds.capacity };
  }
}
