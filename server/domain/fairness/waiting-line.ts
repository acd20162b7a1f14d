import { keyOf, type Owner, type RefusedBy, ShareExceededError } from './owner.js';

export interface LineBounds {
  /** How many requests for the resource may wait, all together; none unless given. */
  maxWaiting?: number;
  /** How many of those may be of one owner, by kind; kinds that are absent are not bounded. */
  waitingShares?: Readonly<Record<string, number>>;
  /** How long one request may wait; without end unless given. */
  maxWaitMs?: number;
}

/** A request in line. */
export interface Place<T> {
  owners: readonly Owner[];
  item: T;
  deadline?: NodeJS.Timeout;
}

/** What waits in a line can be refused. */
interface Refusable {
  reject: (error: unknown) => void;
}

/**
 * Requests that wait for a resource: first in, first out for each first owner, and the owners in turn, so that an owner
 * with a thousand requests delays another's by one. The line is bounded, in all and for each owner, and so is the wait.
 */
export class WaitingLine<T extends Refusable> {
  readonly #name: string;
  readonly #bounds: LineBounds;
  /** Places by their first owner; the owner whose turn is next comes first. */
  readonly #places = new Map<string, Place<T>[]>();
  readonly #waitingOf = new Map<string, number>();
  #waiting = 0;
  #refused = 0;

  /** @param name of the resource, as refusals and metrics have it */
  constructor(name: string, bounds: LineBounds) {
    this.#name = name;
    this.#bounds = bounds;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Refusals since the start of the process. */
  get refused(): number {
    return this.#refused;
  }

  /** First owners with a request in line. */
  get owners(): number {
    return this.#places.size;
  }

  /** Whether the first owner has a request in line. */
  has(owners: readonly Owner[]): boolean {
    return this.#places.has(lineOf(owners));
  }

  /**
   * Adds a request, which is rejected with a {@link ShareExceededError} when no turn comes in time.
   *
   * @param heldBy what the request waits for when its time is over: the bound that it would exceed, and its amount
   * @throws {ShareExceededError} when there is no place left
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

  /** Adds a request whatever the bounds, and without a deadline: for what the service itself must do. */
  push(owners: readonly Owner[], item: T): Place<T> {
    const place: Place<T> = { owners, item };
    const line = lineOf(owners);
    const places = this.#places.get(line);
    if (places) places.push(place);
    else this.#places.set(line, [place]);
    this.#count(owners, 1);
    return place;
  }

  /** The request whose turn it is. It stays in line. */
  next(): Place<T> | undefined {
    for (const [first] of this.#places.values()) return first;
    return undefined;
  }

  /** Ends the turn of a request's owner: all others come before its next one. */
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

  /** Takes the request whose turn it is out of the line. */
  shift(): T | undefined {
    const place = this.next();
    if (!place) return undefined;
    this.pass(place);
    this.leave(place);
    return place.item;
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

/** Changes a count, and forgets it when it is 0. */
export function addTo(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
