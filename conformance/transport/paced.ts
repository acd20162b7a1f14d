import { Answer } from './answer.js';
import { type Credentials, only } from './credentials.js';
import { Pacer } from './pacer.js';

export interface Request {
  method: string;
  /** With its query string. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** How a request reaches the deployment: `fetch`, or what stands for it in a test. */
export type Transport = (request: Request) => Promise<Response>;

/** The limits in an answer. */
export interface Judgement {
  /** After how many seconds to try again, where the limit was reached. */
  retryAfter?: number | undefined;
  /** True if the request was rejected before it was counted. */
  isFree: boolean;
}

export interface Pacing {
  /** Undefined where no limit counts the request. */
  limitClass: string | undefined;
  /** Whose token is sent; undefined sends what the headers say. */
  credentials: Credentials | undefined;
  judge(answer: Answer): Judgement;
}

const MAX_TRIES = 4;

/** Sends requests when the limits of a credential allow it, and again where somebody else has used them up. */
export class Paced {
  private readonly pacer = new Pacer();

  /** @param limits by class, for answers that tell of none */
  constructor(
    private readonly transport: Transport,
    private readonly limits: Readonly<Record<string, number>>,
  ) {}

  async send(request: Request, { limitClass, credentials, judge }: Pacing): Promise<Answer> {
    const sent = request.headers.authorization ?? request.headers.cookie;
    const users = credentials ?? (sent === undefined ? undefined : only(sent));
    if (!users || limitClass === undefined) return this.sendUnpaced(under(credentials?.tokens[0], request));
    // A header that names the organization of the token changes nothing: it counts with the others.
    const keyOf = (token: string) => `${limitClass} ${token}`;
    for (let tries = 1; ; tries++) {
      const token = await this.turn(users, limitClass, keyOf);
      const answer = await this.attempt(keyOf(token), credentials ? under(token, request) : request);
      const { retryAfter, isFree } = judge(answer);
      if (isFree) this.pacer.giveBack(keyOf(token));
      else this.pacer.learn(keyOf(token), answer.headers, this.limits[limitClass] ?? 1);
      if (retryAfter === undefined || tries === MAX_TRIES) return answer;
      // Someone else uses the same credential.
      this.pacer.holdBack(keyOf(token), retryAfter * 1_000);
    }
  }

  /** Sends a request whatever the limits are. */
  async sendUnpaced(request: Request): Promise<Answer> {
    const response = await this.transport(request);
    return new Answer(response.status, response.headers, await response.text());
  }

  /** The token that has a turn, as soon as there is one. */
  private async turn(credentials: Credentials, limitClass: string, keyOf: (token: string) => string): Promise<string> {
    for (;;) {
      const token = credentials.tokens.find((candidate) =>
        this.pacer.takes(keyOf(candidate), (limit) => credentials.leaves(candidate, limitClass, limit)),
      );
      if (token !== undefined) return token;
      const keys = credentials.tokens.map(keyOf);
      if (credentials.canGrow && !this.pacer.isLearning(keys)) await credentials.grow();
      else await this.pacer.nextTurn(keys);
    }
  }

  private async attempt(key: string, request: Request): Promise<Answer> {
    try {
      return await this.sendUnpaced(request);
    } catch (error) {
      this.pacer.giveBack(key);
      throw error;
    }
  }
}

function under(token: string | undefined, request: Request): Request {
  if (token === undefined) return request;
  return { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } };
}
