import { BOUNDS, SLOW_ENDPOINT_SHARE } from '../fairness/bounds.js';
import { keyOfLane, type Lane, type PassedOver } from '../fairness/lanes.js';
import type { Lease, ResourceUse } from '../fairness/shared-resource.js';
import { TenantSlots } from '../fairness/tenant-slots.js';

/** Minimum mean duration at which an endpoint counts as slow. */
const SLOW_MS = 2_000;

/** Weight of the latest delivery in the mean. */
const LATEST_WEIGHT = 0.3;

/** Maximum number of slow endpoints without a running delivery that are remembered. */
const MAX_REMEMBERED = 10_000;

interface Endpoint {
  /** Start times of the running deliveries. */
  started: number[];
  /** Mean duration, in which later deliveries weigh more; undefined before the first is done. */
  meanMs: number | undefined;
}

/**
 * Limits running deliveries: per tenant over all its endpoints, and per endpoint, which gets fewer slots while it is
 * slow. If a tenant's slots are in use, only this tenant waits.
 */
export class DeliverySlots {
  readonly #slots = new TenantSlots('deliveries');
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #nowMs: () => number;

  /** @param nowMs any monotonic clock */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Name in the metrics. */
  get name(): string {
    return this.#slots.name;
  }

  get use(): ResourceUse {
    return this.#slots.use;
  }

  /**
   * Returns the lanes to exclude when the next delivery is chosen: first every tenant with a running delivery, then
   * tenants with several, then those whose share is in use. Endpoints without a free slot are always excluded.
   */
  turns(): PassedOver[] {
    const lanes = [...this.#endpoints].filter(([, endpoint]) => this.#isFull(endpoint)).map(([key]) => key);
    return this.#slots.turns().map(({ tenants }) => ({ tenants, lanes }));
  }

  /** @throws {ShareExceededError} if {@link turns} did not offer the lane */
  take(lane: Lane): Lease {
    const key = keyOfLane(lane);
    const lease = this.#slots.take(lane, [{ kind: 'endpoint', id: key }]);
    const endpoint = this.#endpoints.get(key) ?? { started: [], meanMs: undefined };
    const startedMs = this.#nowMs();
    endpoint.started.push(startedMs);
    this.#endpoints.set(key, endpoint);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      lease.release();
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
    endpoint.meanMs =
      endpoint.meanMs === undefined ? tookMs : endpoint.meanMs + LATEST_WEIGHT * (tookMs - endpoint.meanMs);
    if (endpoint.started.length > 0) return;
    // Deleting first moves the endpoint to the end of the map. Fast endpoints need not be remembered.
    this.#endpoints.delete(key);
    if (endpoint.meanMs > SLOW_MS) this.#endpoints.set(key, endpoint);
    if (this.#endpoints.size > MAX_REMEMBERED) this.#forgetOne();
  }

  #forgetOne(): void {
    for (const [key, { started }] of this.#endpoints) {
      if (started.length > 0) continue;
      this.#endpoints.delete(key);
      return;
    }
  }
}
