import { BOUNDS, sharedResource } from './bounds.js';
import type { Lane, PassedOver } from './lanes.js';
import type { Owner } from './owner.js';
import type { Lease, ResourceUse, SharedResource } from './shared-resource.js';
import { addTo } from './waiting-line.js';

/**
 * Limits the running jobs of one kind. Each tenant has a share, and tenants with fewer running jobs come first. A
 * backlog of one tenant therefore delays another tenant by one job at most.
 */
export class TenantSlots {
  readonly #slots: SharedResource;
  readonly #capacity: number;
  /** Numbers of running jobs by which tenants are ordered, ascending. The last one is the share. */
  readonly #steps: readonly number[];
  /** Number of running jobs by tenant. */
  readonly #running = new Map<string, number>();

  constructor(name: 'deliveries' | 'ingestJobs') {
    const { capacity, shares } = BOUNDS[name];
    this.#slots = sharedResource(name);
    this.#capacity = capacity;
    this.#steps = [1, Math.ceil(shares.tenant / 4), shares.tenant];
  }

  /** Name in the metrics. */
  get name(): string {
    return this.#slots.name;
  }

  get use(): ResourceUse {
    return this.#slots.use;
  }

  /**
   * Returns the tenants to exclude when the next job is chosen: first every tenant with a running job, then tenants
   * with several, then those whose share is in use. Empty while every slot is in use.
   */
  turns(): PassedOver[] {
    if (this.#slots.use.inUse >= this.#capacity) return [];
    const sets = this.#steps.map((least) =>
      [...this.#running].filter(([, count]) => count >= least).map(([tenant]) => tenant),
    );
    const distinct = sets.filter((tenants, at) => tenants.length !== sets[at - 1]?.length);
    return distinct.map((tenants) => ({ tenants, lanes: [] }));
  }

  /**
   * @param others further owners of the job, with their own shares
   * @throws {ShareExceededError} if {@link turns} did not offer the tenant
   */
  take({ tenant }: Pick<Lane, 'tenant'>, others: readonly Owner[] = []): Lease {
    const lease = this.#slots.take([{ kind: 'tenant', id: tenant }, ...others]);
    addTo(this.#running, tenant, 1);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      addTo(this.#running, tenant, -1);
      lease.release();
    };
    return { release, [Symbol.dispose]: release };
  }
}
