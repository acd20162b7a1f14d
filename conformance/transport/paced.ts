import { Answer } from './answer.js';
import { type Credentials, only } from './credentials.js';
import { type Keys, Pacer } from './pacer.js';

export interface Request {
  method: string;
  /** With its query string. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Sends a request to the deployment: `fetch`, or a stand-in in a test. */
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
  /** @param limits by class, for answers that tell of none */
  constructor(
    private readonly transport: Transport,
    private readonly limits: Readonly<Record<string, number>>,
    private readonly pacer = new Pacer(),
  ) {}

  async send(request: Request, { limitClass, credentials, judge }: Pacing): Promise<Answer> {
    const sent = request.headers.authorization ?? request.headers.cookie;
    const users = credentials ?? (sent === undefined ? undefined : only(sent));
    if (!users || limitClass === undefined) return this.sendUnpaced(under(credentials?.tokens[0], request));
    for (let tries = 1; ; tries++) {
      const token = await this.turn(users, limitClass);
      const keys = keysOf(users, limitClass, token);
      const answer = await this.attempt(keys, credentials ? under(token, request) : request);
      const { retryAfter, isFree } = judge(answer);
      if (isFree) this.pacer.giveBack(keys);
      else this.pacer.learn(keys, answer.headers, this.limits[limitClass] ?? 1);
      if (retryAfter === undefined || tries === MAX_TRIES) return answer;
      // Someone else uses the same credential.
      this.pacer.holdBack(keys, answer.headers, retryAfter * 1_000);
    }
  }

  /** Sends a request whatever the limits are. */
  async sendUnpaced(request: Request): Promise<Answer> {
    const response = await this.transport(request);
    return new Answer(response.status, response.headers, await response.text());
  }

  /** The token that has a turn, as soon as there is one. */
  private async turn(credentials: Credentials, limitClass: string): Promise<string> {
    for (;;) {
      const token = credentials.tokens.find((candidate) =>
        this.pacer.takes(keysOf(credentials, limitClass, candidate), (limit) =>
          credentials.leaves(candidate, limitClass, limit),
        ),
      );
      if (token !== undefined) return token;
      const keys = credentials.tokens.map((candidate) => keysOf(credentials, limitClass, candidate));
      // If all tokens share a limit that is used up, another one would not help.
      const mayGrow = credentials.canGrow && !this.pacer.isUsedUp(keys[0]?.shared);
      if (mayGrow && !this.pacer.isLearning(keys)) await credentials.grow();
      else await this.pacer.nextTurn(keys);
    }
  }

  private async attempt(keys: Keys, request: Request): Promise<Answer> {
    try {
      return await this.sendUnpaced(request);
    } catch (error) {
      this.pacer.giveBack(keys);
      throw error;
    }
  }
}

function keysOf({ owner }: Credentials, limitClass: string, token: string): Keys {
  return { own: `${limitClass} ${token}`, shared: owner === undefined ? undefined : `${limitClass} of ${owner}` };
}

function under(token: string | undefined, request: Request): Request {
  if (token === undefined) return request;
  return { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } };
}
