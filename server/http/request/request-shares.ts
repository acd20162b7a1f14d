import type { Limits } from '../../deps.js';
import { addressBlock } from '../../domain/account/client-address.js';
import { DEADLINES, sharedResource } from '../../domain/fairness/bounds.js';
import type { Owner } from '../../domain/fairness/owner.js';
import { withRest } from '../../domain/fairness/rest.js';
import type { Lease, SharedResource } from '../../domain/fairness/shared-resource.js';
import type { Metrics } from '../../ports/metrics.js';
import type { Operation } from '../contract/contract.js';
import type { OperationId } from '../contract/wire.js';
import { onAnswerEnd } from './answer-end.js';
import { type BodyRules, collectBody } from './collect-body.js';
import type { Context } from './context.js';
import { InProcessRequest } from './in-process.js';
import type { OverloadGuard } from './overload.js';

/** Bytes of a body are counted in steps of this size, so that a silent caller holds next to nothing. */
const STEP_BYTES = 65_536;

/** Operations that read many memories without looking for any. */
const PAGES: ReadonlySet<OperationId> = new Set(['exportMemories', 'listMemoryChanges', 'listRecentMemories']);

const NOTHING: Lease = { release: () => undefined, [Symbol.dispose]: () => undefined };

/**
 * What the requests of all callers share: bodies being read, their bytes, requests under way, and bytes of answers.
 *
 * Probes take no share. Neither do requests of the process to itself, since they are part of a request that has one.
 */
export class RequestShares {
  readonly #requests: SharedResource;
  readonly #bodies = sharedResource('bodies');
  readonly #bodyBytes = sharedResource('bodyBytes');
  readonly #answerBytes = sharedResource('answerBytes');
  readonly #pages = sharedResource('pages');
  readonly #overload: OverloadGuard;

  constructor({ requestsInFlight }: Limits, metrics: Pick<Metrics, 'watch'>, overload: OverloadGuard) {
    this.#requests = sharedResource('requests', requestsInFlight);
    this.#overload = overload;
    const all = [this.#requests, this.#bodies, this.#bodyBytes, this.#answerBytes, this.#pages];
    for (const resource of all) metrics.watch(resource);
  }

  /**
   * Called when the caller is known, before the body is read.
   *
   * @throws {UnavailableError} while the process runs late, for callers with many requests under way
   */
  assertInTime(ctx: Context, operation: Pick<Operation, 'tags'>): void {
    if (isExempt(ctx, operation)) return;
    const [first] = ownersOf(ctx);
    this.#overload.assertInTime(this.#requests, first);
  }

  /**
   * Reads a body. Its bytes count until the answer is gone, since what is made of them lives as long.
   *
   * @throws {ShareExceededError}
   * @throws {PayloadTooLargeError} `payload_too_large`
   * @throws {BodyTimeoutError}
   * @throws {ClientGoneError}
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
   * Counts a request as under way until the lease is released.
   *
   * @throws {ShareExceededError} also while the caller leaves too many answers unread
   */
  begin(ctx: Context, operation: Pick<Operation, 'tags'>): Lease {
    if (isExempt(ctx, operation)) return NOTHING;
    const owners = ownersOf(ctx);
    this.#answerBytes.take(owners).release();
    return this.#requests.take(owners);
  }

  /**
   * Waits for the turn of a request that answers with a page of memories.
   *
   * @param signal ends the wait
   * @throws {ShareExceededError} also when answers of the pages before were not read meanwhile
   */
  async beginPage(ctx: Context, { id }: Pick<Operation, 'id'>, signal?: AbortSignal): Promise<Lease> {
    if (!PAGES.has(id)) return NOTHING;
    const owners = ownersOf(ctx);
    const page = withRest(await this.#pages.wait(owners, 1, signal));
    try {
      if (!(ctx.req instanceof InProcessRequest)) this.#answerBytes.take(owners).release();
    } catch (error) {
      page.release();
      throw error;
    }
    return page;
  }

  /** Counts an answer until the caller has it, and disconnects a caller that does not read it. */
  send(ctx: Context, bytes: number): void {
    const { req, res } = ctx;
    if (req instanceof InProcessRequest || res.destroyed) return;
    const lease = this.#answerBytes.hold(ownersOf(ctx), bytes);
    // The server destroys a socket that times out, and sets its own time when the answer is gone.
    req.socket.setTimeout(DEADLINES.answerIdleMs);
    const deadline = setTimeout(() => res.destroy(), DEADLINES.answerMs);
    onAnswerEnd(ctx, () => {
      clearTimeout(deadline);
      lease.release();
    });
  }
}

/** Who a request counts for; the first takes turns with its like. */
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
