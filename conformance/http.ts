import { setTimeout as pause } from 'node:timers/promises';
import { Answer } from './answer.js';
import type { Contract, Operation } from './contract.js';
import { Pacer } from './pacer.js';

/** Something the deployment answered that the contract of this suite does not have. */
export class ContractError extends Error {
  override name = 'ContractError';
}

export interface Request {
  method: string;
  /** With its query string. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** How a request reaches the deployment: `fetch`, or what stands for it in a test. */
export type Transport = (request: Request) => Promise<Response>;

const MAX_TRIES = 4;
const TIMEOUT_MS = 60_000;

/** The transport of a real deployment. */
export function overNetwork(baseUrl: string): Transport {
  const base = baseUrl.replace(/\/+$/, '');
  return ({ path, ...init }) =>
    fetch(`${base}${path}`, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Sends requests within the limits, and holds every answer against the contract. */
export class Http {
  /** `operationId status` of every answer so far. */
  readonly seen = new Set<string>();
  private readonly pacer = new Pacer();

  constructor(
    private readonly transport: Transport,
    private readonly contract: Contract,
    private readonly withHeaders: boolean,
  ) {}

  /**
   * Sends a request of the contract, or of a path that the contract does not know.
   *
   * @throws {ContractError} when the contract has no such answer
   */
  async send(request: Request): Promise<Answer> {
    const operation = this.contract.find(request.method, pathOf(request));
    const answer = await this.withinLimits(request, operation);
    if (!operation) return answer;
    this.seen.add(`${operation.operationId} ${answer.status}`);
    const faults = this.contract.faults(operation, answer, this.withHeaders);
    if (faults.length === 0) return answer;
    throw new ContractError(
      `${request.method} ${pathOf(request)} answered ${answer.status} in a way that the contract does not have: ${faults.join('; ')}`,
    );
  }

  /** Sends a request whose refusal by the per-minute limit is what is looked for. */
  async sendUnpaced(request: Request): Promise<Answer> {
    return toAnswer(await this.transport(request));
  }

  private async withinLimits(request: Request, operation: Operation | undefined): Promise<Answer> {
    const limit = operation?.rateLimitClass;
    const credential = request.headers.authorization ?? request.headers.cookie ?? '';
    if (limit === undefined || credential === '') return toAnswer(await this.transport(request));
    const organization = request.headers['x-organization-id'] ?? '';
    const key = `${limit} ${organization} ${credential}`;
    for (let tries = 1; ; tries++) {
      await this.pacer.turn(key);
      const answer = await this.attempt(key, request);
      const isLimited = answer.status === 429 && answer.body.code === 'rate_limited';
      if (!isLimited || tries === MAX_TRIES) return answer;
      // Someone else uses the same credential.
      const waitMs = Number(answer.headers.get('retry-after') ?? 1) * 1_000;
      this.pacer.holdBack(key, waitMs);
      await pause(waitMs);
    }
  }

  private async attempt(key: string, request: Request): Promise<Answer> {
    try {
      const answer = await toAnswer(await this.transport(request));
      this.pacer.learn(key, answer.headers);
      return answer;
    } catch (error) {
      this.pacer.learn(key);
      throw error;
    }
  }
}

function pathOf({ path }: Request): string {
  return path.split('?', 1)[0] ?? path;
}

async function toAnswer(response: Response): Promise<Answer> {
  return new Answer(response.status, response.headers, await response.text());
}
