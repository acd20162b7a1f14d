import { BOUNDS, sharedResource } from './bounds.js';
import type { Lane, PassedOver } from './lanes.js';
import type { Owner } from './owner.js';
import type { Lease, ResourceUse, SharedResource } from './shared-resource.js';
import { addTo } from './waiting-line.js';

/**
 * The places of jobs of one kind: each tenant has a share, and those with fewer jobs under way come first. A backlog of
 * one tenant so delays another's job by one at most.
 */
export class TenantSlots {
  readonly #places: SharedResource;
  readonly #capacity: number;
  /** Tenants with fewer jobs under way come first, in these steps. The last one is the share. */
  readonly #steps: readonly number[];
  /** Jobs under way by tenant. */
  readonly #underWay = new Map<string, number>();

  constructor(name: 'deliveries' | 'ingestJobs') {
    const { capacity, shares } = BOUNDS[name];
    this.#places = sharedResource(name);
    this.#capacity = capacity;
    this.#steps = [1, Math.ceil(shares.tenant / 4), shares.tenant];
  }

  /** As metrics name it. */
  get name(): string {
    return this.#places.name;
  }

  get use(): ResourceUse {
    return this.#places.use;
  }

  /**
   * Returns whom to pass over when the next job is chosen: at first every tenant with a job under way, then those with
   * some, then those whose share is in use. Nothing while every place is taken.
   */
  turns(): PassedOver[] {
    if (this.#places.use.inUse >= this.#capacity) return [];
    const sets = this.#steps.map((least) =>
      [...this.#underWay].filter(([, count]) => count >= least).map(([tenant]) => tenant),
    );
    const distinct = sets.filter((tenants, at) => tenants.length !== sets[at - 1]?.length);
    return distinct.map((tenants) => ({ tenants, lanes: [] }));
  }

  /**
   * @param others who have shares beside the tenant
   * @throws {ShareExceededError} when a place is taken that {@link turns} did not offer
   */
  take({ tenant }: Pick<Lane, 'tenant'>, others: readonly Owner[] = []): Lease {
    const place = this.#places.take([{ kind: 'tenant', id: tenant }, ...others]);
    addTo(this.#underWay, tenant, 1);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      addTo(this.#underWay, tenant, -1);
      place.release();
    };
    return { release, [Symbol.dispose]: release };
  }
}
