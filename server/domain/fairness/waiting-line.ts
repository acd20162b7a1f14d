import { keyOf, type Owner, type RefusedBy, ShareExceededError } from './owner.js';

export interface LineBounds {
  /** Maximum number of waiting requests. Default: 0. */
  maxWaiting?: number;
  /** Maximum number of waiting requests of one owner, by kind. Kinds without an entry have no limit. */
  waitingShares?: Readonly<Record<string, number>>;
  /** Maximum time that one request waits. Default: no limit. */
  maxWaitMs?: number;
}

/** A waiting request. */
export interface Place<T> {
  owners: readonly Owner[];
  item: T;
  deadline?: NodeJS.Timeout;
}

/** An item that can be rejected while it waits. */
interface Refusable {
  reject: (error: unknown) => void;
}

/**
 * A queue of requests for a resource. Requests of one first owner are served in order, and the owners take turns. An
 * owner with a thousand requests therefore delays another owner by one. Length, length per owner and wait are limited.
 */
export class WaitingLine<T extends Refusable> {
  readonly #name: string;
  readonly #bounds: LineBounds;
  /** Waiting requests by first owner. The owner whose turn is next comes first. */
  readonly #places = new Map<string, Place<T>[]>();
  readonly #waitingOf = new Map<string, number>();
  #waiting = 0;
  #refused = 0;

  /** @param name name of the resource in errors and metrics */
  constructor(name: string, bounds: LineBounds) {
    this.#name = name;
    this.#bounds = bounds;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Rejected requests since the start of the process. */
  get refused(): number {
    return this.#refused;
  }

  /** Number of first owners with a waiting request. */
  get owners(): number {
    return this.#places.size;
  }

  /** Reports if the first owner has a waiting request. */
  has(owners: readonly Owner[]): boolean {
    return this.#places.has(lineOf(owners));
  }

  /**
   * Adds a request. If the wait takes too long, the request is rejected with a {@link ShareExceededError}.
   *
   * @param heldBy called at the deadline; returns the bound that still blocks the request
   * @throws {ShareExceededError} if the queue is full
   */
  add(owners: readonly Owner[], item: T, heldBy: () => { by: RefusedBy; limit: number }): Place<T> {
    const { maxWaiting = 0, waitingShares = {}, maxWaitMs } = this.#bounds;
    if (this.#waiting >= maxWaiting) throw this.#refusal('capacity', maxWaiting);
    for (const owner of owners) {
      const share = waitingShares[owner.kind];
      if (share === undefined || (this.#waitingOf.get(keyOf(owner)) ?? 0) < share) continue;
      throw this.#refusal(owner.kind, share);
    }
    const place = this.push(owners, item);
    if (maxWaitMs === undefined) return place;
    const expire = () => {
      const { by, limit } = heldBy();
      this.leave(place);
      item.reject(this.#refusal(by, limit, maxWaitMs));
    };
    place.deadline = setTimeout(expire, maxWaitMs).unref();
    return place;
  }

  /** Adds a request of the service itself, whatever the bounds and without a deadline. */
  push(owners: readonly Owner[], item: T): Place<T> {
    const place: Place<T> = { owners, item };
    const line = lineOf(owners);
    const places = this.#places.get(line);
    if (places) places.push(place);
    else this.#places.set(line, [place]);
    this.#count(owners, 1);
    return place;
  }

  /** Returns the request whose turn it is, without removing it. */
  next(): Place<T> | undefined {
    for (const [first] of this.#places.values()) return first;
    return undefined;
  }

  /** Ends the turn of a request's owner: all other owners come before its next request. */
  pass({ owners }: Place<T>): void {
    const line = lineOf(owners);
    const places = this.#places.get(line);
    if (!places) return;
    this.#places.delete(line);
    this.#places.set(line, places);
  }

  leave(place: Place<T>): void {
    const line = lineOf(place.owners);
    const places = this.#places.get(line) ?? [];
    const at = places.indexOf(place);
    if (at < 0) return;
    clearTimeout(place.deadline);
    places.splice(at, 1);
    if (places.length === 0) this.#places.delete(line);
    this.#count(place.owners, -1);
  }

  /** Removes and returns the request whose turn it is. */
  shift(): T | undefined {
    const place = this.next();
    if (!place) return undefined;
    this.pass(place);
    this.leave(place);
    return place.item;
  }

  /** Removes and returns the first requests of an owner, at most `limit`. */
  take(owner: Owner, limit: number): T[] {
    const places = (this.#places.get(lineOf([owner])) ?? []).slice(0, limit);
    for (const place of places) this.leave(place);
    return places.map(({ item }) => item);
  }

  #count(owners: readonly Owner[], by: number): void {
    this.#waiting += by;
    for (const owner of owners) addTo(this.#waitingOf, keyOf(owner), by);
  }

  #refusal(by: RefusedBy, limit: number, waitedMs?: number): ShareExceededError {
    this.#refused += 1;
    return new ShareExceededError(this.#name, by, limit, waitedMs);
  }
}

function lineOf([first]: readonly Owner[]): string {
  return first === undefined ? '' : keyOf(first);
}

/** Changes a count, and deletes it if it becomes 0. */
export function addTo(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
