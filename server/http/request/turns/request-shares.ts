import type { Limits } from '../../../deps.js';
import type { Gone } from '../../../domain/account/caller.js';
import { addressBlock } from '../../../domain/account/client-address.js';
import { DEADLINES, sharedResource } from '../../../domain/fairness/bounds.js';
import type { Owner } from '../../../domain/fairness/owner.js';
import { withRest } from '../../../domain/fairness/rest.js';
import type { Lease, SharedResource } from '../../../domain/fairness/shared-resource.js';
import type { Metrics } from '../../../ports/metrics.js';
import type { Operation } from '../../contract/contract.js';
import type { OperationId } from '../../contract/wire.js';
import { type BodyRules, collectBody } from '../body/collect-body.js';
import { InProcessRequest } from '../caller/in-process.js';
import type { Context } from '../context.js';
import { AnswerDeadlines } from './answer-deadlines.js';
import { hasEnded, onAnswerEnd } from './answer-end.js';
import type { OverloadGuard } from './overload.js';

/** Body bytes are counted in steps of this size, so that a silent caller uses almost nothing. */
const STEP_BYTES = 65_536;

/** Operations that return many memories without a search. */
const PAGES: ReadonlySet<OperationId> = new Set([
  'exportMemories',
  'listMemories',
  'listMemoryChanges',
  'listRecentMemories',
]);

/** Reports if an operation returns many memories, and so has to wait for its turn. */
export function isPage({ id }: Pick<Operation, 'id'>): boolean {
  return PAGES.has(id);
}

const NOTHING: Lease = { release: () => undefined, [Symbol.dispose]: () => undefined };

/**
 * The resources that requests of all callers share: bodies being read, their bytes, requests in flight, and bytes of
 * answers. Probes are exempt. So are requests of the process to itself, since they belong to a request that is
 * counted.
 */
export class RequestShares {
  readonly #requests: SharedResource;
  readonly #bodies = sharedResource('bodies');
  readonly #bodyBytes = sharedResource('bodyBytes');
  readonly #answerBytes = sharedResource('answerBytes');
  readonly #pages = sharedResource('pages');
  readonly #overload: OverloadGuard;
  readonly #deadlines = new AnswerDeadlines();

  constructor({ requestsInFlight }: Limits, metrics: Pick<Metrics, 'watch'>, overload: OverloadGuard) {
    this.#requests = sharedResource('requests', requestsInFlight);
    this.#overload = overload;
    const all = [this.#requests, this.#bodies, this.#bodyBytes, this.#answerBytes, this.#pages];
    for (const resource of all) metrics.watch(resource);
  }

  /**
   * Called after the caller is known and before the body is read.
   *
   * @throws {UnavailableError} while the event loop is late, for callers with many requests in flight
   */
  assertInTime(ctx: Context, operation: Pick<Operation, 'tags'>): void {
    if (isExempt(ctx, operation)) return;
    const [first] = ownersOf(ctx);
    this.#overload.assertInTime(this.#requests, first);
  }

  /**
   * Reads a body. Its bytes count until the answer is sent, since the values parsed from them live as long.
   *
   * @throws {ShareExceededError}
   * @throws {PayloadTooLargeError} `payload_too_large`
   */
  async readBody(ctx: Context, limit: number, shape?: BodyRules['shape']): Promise<Buffer> {
    const { bodyMs: deadlineMs, bodyBytesPerSecond: bytesPerSecond } = DEADLINES;
    const rules = { limit, deadlineMs, bytesPerSecond, shape };
    if (ctx.req instanceof InProcessRequest) return collectBody(ctx.req, { ...rules, onReceived: () => undefined });
    const owners = ownersOf(ctx);
    using _ = this.#bodies.take(owners);
    const leases: Lease[] = [];
    const onReceived = (received: number) => {
      while (leases.length * STEP_BYTES < received) leases.push(this.#bodyBytes.take(owners, STEP_BYTES));
    };
    onAnswerEnd(ctx, () => {
      for (const lease of leases) lease.release();
    });
    return await collectBody(ctx.req, { ...rules, onReceived });
  }

  /**
   * Counts a request as in flight until the lease is released.
   *
   * @throws {ShareExceededError} also while the caller has too many unread answers
   */
  begin(ctx: Context, operation: Pick<Operation, 'tags'>): Lease {
    if (isExempt(ctx, operation)) return NOTHING;
    const owners = ownersOf(ctx);
    this.#answerBytes.assertFree(owners);
    return this.#requests.take(owners);
  }

  /**
   * Waits for the turn of a request that returns a page of memories.
   *
   * @param gone ends the wait
   * @throws {ShareExceededError} also if answers of former pages are still unread
   */
  async beginPage(ctx: Context, gone?: Gone): Promise<Lease> {
    const owners = ownersOf(ctx);
    const page = withRest(await this.#pages.wait(owners, 1, gone?.signal));
    try {
      if (!(ctx.req instanceof InProcessRequest)) this.#answerBytes.assertFree(owners);
    } catch (error) {
      page.release();
      throw error;
    }
    return page;
  }

  /** Counts an answer until the caller has received it, and disconnects a caller that does not read it. */
  send(ctx: Context, bytes: number): void {
    if (ctx.req instanceof InProcessRequest || hasEnded(ctx)) return;
    const lease = this.#answerBytes.hold(ownersOf(ctx), bytes);
    onAnswerEnd(ctx, () => lease.release());
    this.#deadlines.begin(ctx);
  }
}

/** Returns the owners of a request. The first one takes turns with the others of its kind. */
function ownersOf({ state }: Context): [Owner, ...Owner[]] {
  const { organizationId, credentialId, ip = 'unknown' } = state;
  const tenant = organizationId ?? credentialId;
  if (tenant !== undefined) return [{ kind: 'tenant', id: tenant }];
  return [
    { kind: 'address', id: addressBlock(ip) },
    { kind: 'anonymous', id: 'all' },
  ];
}

function isExempt({ req }: Context, { tags }: Pick<Operation, 'tags'>): boolean {
  return tags.includes('health') || req instanceof InProcessRequest;
}
