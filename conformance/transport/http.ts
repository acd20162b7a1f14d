import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Answer } from './answer.js';
import type { Contract, Operation } from './contract.js';
import type { Credentials } from './credentials.js';
import { type Judgement, Paced, type Pacing, type Request, type Transport } from './paced.js';

/** Something the deployment answered that the contract of this suite does not have. */
export class ContractError extends Error {
  override name = 'ContractError';
}

const TIMEOUT_MS = 60_000;
/** Refused before the limits are looked at. */
const UNCOUNTED = [401, 403, 503];
/** A 503 that asks for more patience is no matter of the moment. */
const BRIEF_SECONDS = 5;
const MAX_TRIES = 6;

/** The transport of a real deployment. */
export function overNetwork(baseUrl: string): Transport {
  const base = baseUrl.replace(/\/+$/, '');
  return ({ path, ...init }) =>
    fetch(`${base}${path}`, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
}

export interface HttpOptions {
  transport: Transport;
  contract: Contract;
  /** True if answers must have the headers of the contract too. */
  withHeaders: boolean;
  /** The limits of each class, where the deployment does not tell. Default: those of the contract. */
  limits?: Readonly<Record<string, number>> | undefined;
  pause?: (ms: number) => Promise<unknown>;
}

/** Sends requests within the limits, and compares every answer with the contract. */
export class Http {
  /** `operationId status` of every answer so far. */
  readonly seen = new Set<string>();
  private readonly paced: Paced;

  constructor(private readonly options: HttpOptions) {
    this.paced = new Paced(options.transport, options.limits ?? options.contract.defaultLimits.requestsPerMinute);
  }

  /**
   * Sends a request of the contract, or of a path that the contract does not know.
   *
   * @param credentials under one of which it goes; undefined where its headers say who sends it
   * @throws {ContractError} when the contract has no such answer
   */
  async send(request: Request, credentials?: Credentials): Promise<Answer> {
    const operation = this.operationOf(request);
    const pacing = { limitClass: operation?.rateLimitClass, credentials, judge };
    return this.hold(request, operation, await this.patiently(() => this.paced.send(request, pacing)));
  }

  /** Sends a request within the limits, and past the contract. */
  async sendUnchecked(request: Request, pacing: Pacing): Promise<Answer> {
    return this.patiently(() => this.paced.send(request, pacing));
  }

  /**
   * Sends a request whose refusal by the per-minute limit is what is looked for.
   *
   * @throws {ContractError} when the contract has no such answer
   */
  async sendUnpaced(request: Request): Promise<Answer> {
    return this.hold(request, this.operationOf(request), await this.paced.sendUnpaced(request));
  }

  /** Sends again what a deployment had no time for, where it asks for no more than a little patience. */
  private async patiently(send: () => Promise<Answer>): Promise<Answer> {
    const { pause = pauseFor } = this.options;
    for (let tries = 1; ; tries++) {
      const answer = await send();
      const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
      const isBusy = answer.status === 503 && seconds <= BRIEF_SECONDS;
      if (!isBusy || tries === MAX_TRIES) return answer;
      await pause(seconds * 1_000);
    }
  }

  private operationOf(request: Request): Operation | undefined {
    return this.options.contract.find(request.method, pathOf(request));
  }

  private hold(request: Request, operation: Operation | undefined, answer: Answer): Answer {
    if (!operation) return answer;
    this.seen.add(`${operation.operationId} ${answer.status}`);
    const faults = this.options.contract.faults(operation, answer, this.options.withHeaders);
    if (faults.length === 0) return answer;
    throw new ContractError(
      `${request.method} ${pathOf(request)} answered ${answer.status} in a way that the contract does not have: ${faults.join('; ')}`,
    );
  }
}

/** Reads the limits from a REST answer. */
export function judge({ status, headers, body }: Answer): Judgement {
  if (status === 429 && body.code === 'rate_limited') {
    return { retryAfter: Number(headers.get('retry-after') ?? 1), isFree: false };
  }
  return { isFree: UNCOUNTED.includes(status) && !headers.has('ratelimit') };
}

function pathOf({ path }: Request): string {
  return path.split('?', 1)[0] ?? path;
}
