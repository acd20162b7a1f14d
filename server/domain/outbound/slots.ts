import { BOUNDS, SLOW_ENDPOINT_SHARE } from '../fairness/bounds.js';
import { keyOfLane, type Lane, type PassedOver } from '../fairness/lanes.js';
import type { Lease, ResourceUse } from '../fairness/shared-resource.js';
import { TenantSlots } from '../fairness/tenant-slots.js';

/** Duration from which an endpoint counts as slow. */
const SLOW_MS = 2_000;

/** Weight of the latest delivery in the mean. */
const RECENT = 0.3;

/** How many slow endpoints without a delivery under way are remembered. */
const MOST_REMEMBERED = 10_000;

interface Endpoint {
  /** When the deliveries under way began. */
  started: number[];
  /** Mean duration of the deliveries, the latest ones weighed more; undefined before the first is done. */
  meanMs: number | undefined;
}

/**
 * The places of deliveries under way: some for each tenant over all of its endpoints, and few for each endpoint, fewer
 * still while it is slow. A tenant whose places are taken waits, and nobody else does.
 */
export class DeliverySlots {
  readonly #places = new TenantSlots('deliveries');
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #nowMs: () => number;

  /** @param nowMs any clock that goes forward */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** As metrics name it. */
  get name(): string {
    return this.#places.name;
  }

  get use(): ResourceUse {
    return this.#places.use;
  }

  /**
   * Returns whom to pass over when the next delivery is chosen: at first every tenant with a delivery under way, then
   * those with some, then those whose share is in use. Endpoints without a free place are always passed over.
   */
  turns(): PassedOver[] {
    const lanes = [...this.#endpoints].filter(([, endpoint]) => this.#isFull(endpoint)).map(([key]) => key);
    return this.#places.turns().map(({ tenants }) => ({ tenants, lanes }));
  }

  /** @throws {ShareExceededError} when a place is taken that {@link turns} did not offer */
  take(lane: Lane): Lease {
    const key = keyOfLane(lane);
    const place = this.#places.take(lane, [{ kind: 'endpoint', id: key }]);
    const endpoint = this.#endpoints.get(key) ?? { started: [], meanMs: undefined };
    const startedMs = this.#nowMs();
    endpoint.started.push(startedMs);
    this.#endpoints.set(key, endpoint);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      place.release();
      this.#ended(key, endpoint, startedMs);
    };
    return { release, [Symbol.dispose]: release };
  }

  #isFull({ started, meanMs = 0 }: Endpoint): boolean {
    if (started.length === 0) return false;
    const nowMs = this.#nowMs();
    const takesMs = Math.max(meanMs, nowMs - (started[0] ?? nowMs));
    return started.length >= (takesMs > SLOW_MS ? SLOW_ENDPOINT_SHARE : BOUNDS.deliveries.shares.endpoint);
  }

  #ended(key: string, endpoint: Endpoint, startedMs: number): void {
    endpoint.started.splice(endpoint.started.indexOf(startedMs), 1);
    const tookMs = this.#nowMs() - startedMs;
    endpoint.meanMs = endpoint.meanMs === undefined ? tookMs : endpoint.meanMs + RECENT * (tookMs - endpoint.meanMs);
    if (endpoint.started.length > 0) return;
    // The one used last goes to the end. Of a quick one nothing has to be remembered.
    this.#endpoints.delete(key);
    if (endpoint.meanMs > SLOW_MS) this.#endpoints.set(key, endpoint);
    if (this.#endpoints.size > MOST_REMEMBERED) this.#forgetOne();
  }

  #forgetOne(): void {
    for (const [key, { started }] of this.#endpoints) {
      if (started.length > 0) continue;
      this.#endpoints.delete(key);
      return;
    }
  }
}
