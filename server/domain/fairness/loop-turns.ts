import { sharedResource } from './bounds.js';
import type { Lease, SharedResource } from './shared-resource.js';

/** Rest after a piece of work, in proportion to its time: others then have a fifth of the only thread to themselves. */
const REST_PER_WORK = 0.25;
const LONGEST_REST_MS = 100;

/** Characters whose checks and vector take a few milliseconds. More of them are a long piece of work. */
const LONG_WORK_CHARACTERS = 10_000;

/**
 * Long pieces of work on the event loop, one at a time. Tenants take turns, and each piece is followed by a rest, in
 * which short requests of others are answered: they take many turns of the loop, and would wait for a piece in each.
 */
export class LoopTurns {
  readonly resource: SharedResource = sharedResource('longWork');

  /**
   * Starts a row of pieces that belong together, such as the items of a batch.
   *
   * @param tenant who takes turns with others; undefined for the service itself
   */
  row(tenant: string | undefined): WorkRow {
    return new WorkRow((work) => this.run(tenant, work));
  }

  /** Runs one piece when it is the tenant's turn. @throws {ShareExceededError} when too many wait */
  async run<T>(tenant: string | undefined, work: () => T): Promise<T> {
    const owner = tenant === undefined ? { kind: 'service', id: 'service' } : { kind: 'tenant', id: tenant };
    using _ = withRest(await this.resource.wait([owner]));
    return work();
  }
}

/** Runs short pieces at once until they are a long one together, and then in a turn. */
export class WorkRow {
  #sinceTurn = 0;

  constructor(private readonly inTurn: <T>(work: () => T) => Promise<T>) {}

  /** @param characters that the piece works on */
  async run<T>(characters: number, work: () => T): Promise<T> {
    this.#sinceTurn += characters;
    if (this.#sinceTurn <= LONG_WORK_CHARACTERS) return work();
    this.#sinceTurn = characters;
    return this.inTurn(work);
  }
}

/** A lease that begins now and, after its release, rests for a while before the next one is granted. */
export function withRest(lease: Lease): Lease {
  const since = performance.now();
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    const restMs = Math.min((performance.now() - since) * REST_PER_WORK, LONGEST_REST_MS);
    // A timer is late by up to a millisecond, and what others have to do now comes before.
    if (restMs < 1) setImmediate(() => lease.release());
    else setTimeout(() => lease.release(), restMs);
  };
  return { release, [Symbol.dispose]: release };
}
