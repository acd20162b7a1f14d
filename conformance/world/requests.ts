import type { Answer } from '../transport/answer.js';
import { Contract } from '../transport/contract.js';
import { type Credentials, only } from '../transport/credentials.js';
import type { DefaultLimits } from '../transport/document.js';
import { eventually } from '../transport/eventually.js';
import { Http, judge } from '../transport/http.js';
import type { Transport } from '../transport/paced.js';
import { PrerequisiteError } from '../transport/prerequisite.js';
import { type Sending, toRequest } from '../transport/request.js';
import { ToolClient } from '../transport/tool-client.js';
import type { Capability } from './capability.js';
import { OwnTokens } from './own-tokens.js';
import type { Profile } from './profile.js';
import { randomToken } from './words.js';
import { type Left, WrittenMemories } from './written.js';

export interface RequestOptions {
  transport: Transport;
  token: string;
  secondToken?: string | undefined;
  profile: Profile;
  without: ReadonlySet<Capability>;
  contract?: Contract;
  /** Longest wait in milliseconds for work that a deployment does after its answer. */
  patienceMs?: number;
  /** How many tokens the run may make for itself; none unless given. */
  ownTokens?: number;
}

/** Sends the requests of a run, under its tokens and within the limits, and keeps a ledger of what they write. */
export class Requests {
  /** Marks everything that this run writes. */
  readonly runId = `run-${randomToken(12)}`;
  /** The memories that the run wrote, by check. */
  readonly ledger = new WrittenMemories(this.runId);
  readonly contract: Contract;
  readonly http: Http;
  /** The tool interface. */
  readonly tools: ToolClient;
  readonly profile: Profile;
  /** The limits of the deployment, from the profile or else the contract. */
  readonly limits: DefaultLimits;
  readonly token: string;
  protected readonly ownTokens: OwnTokens;
  private readonly foreignTokens: readonly unknown[];
  private readonly patienceMs: number | undefined;

  constructor({ transport, profile, without, ...options }: RequestOptions) {
    const { ingestOnly, searchOnly, adminOnly, ...foreign } = profile.tokens;
    this.profile = profile;
    this.token = options.token;
    this.foreignTokens = [options.secondToken, ...Object.values(foreign)];
    this.patienceMs = options.patienceMs;
    this.contract = options.contract ?? Contract.load();
    this.limits = toLimits(profile, this.contract.defaultLimits);
    const withHeaders = !without.has('response-headers');
    this.http = new Http({ transport, contract: this.contract, withHeaders, limits: this.limits.requestsPerMinute });
    this.ownTokens = new OwnTokens(options.token, options.ownTokens ?? 0, this.runId, (method, path, body, users) =>
      this.http.send(toRequest(method, path, body, {}), users),
    );
    this.tools = new ToolClient(
      this.http,
      this.contract,
      (token) => this.userOf(token),
      (call, answer) => this.ledger.noteTool(call, answer, this.homeOf(call.token)),
    );
  }

  /** How many entries of a list fit on a page. */
  get largestPage(): number {
    return this.contract.limitOf('exportMemories').maximum;
  }

  /**
   * Sends one request, under any token of the run unless one is named. A string is sent as it is, anything else as JSON.
   *
   * @throws {ContractError} when the contract has no such answer
   */
  async send(method: string, path: string, body?: unknown, sending: Sending = {}): Promise<Answer> {
    const { token } = sending;
    const answer = await this.http.send(toRequest(method, path, body, sending), this.usersOf(token));
    this.ledger.noteRequest(method, path, answer, this.homeOf(token));
    return answer;
  }

  /** The same, past the per-minute limit. */
  async sendUnpaced(method: string, path: string, body?: unknown, sending: Sending = {}): Promise<Answer> {
    const { token = this.token, headers } = sending;
    const credential: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    return this.http.sendUnpaced(toRequest(method, path, body, { ...sending, headers: { ...credential, ...headers } }));
  }

  /** Deletes a memory past the contract: how a delete is answered is for the checks to say. */
  async erase({ id, token }: Left): Promise<Answer> {
    const pacing = { limitClass: 'admin', credentials: this.usersOf(token), judge };
    return this.http.sendUnchecked(toRequest('DELETE', `/api/memories/${id}`, undefined, {}), pacing);
  }

  /** Deletes many memories of the run in one request, past the contract. */
  async eraseMany(ids: readonly string[], token: string | undefined): Promise<Answer> {
    const pacing = { limitClass: 'admin', credentials: this.usersOf(token), judge };
    return this.http.sendUnchecked(toRequest('POST', '/api/memories/delete', { ids }, {}), pacing);
  }

  /** The id of the organization that a token resolves to. @throws {PrerequisiteError} */
  async organizationId(token = this.token): Promise<string> {
    const { status, body } = await this.send('GET', '/api/session', undefined, { token });
    const { id } = (body.organization ?? {}) as { id?: string };
    if (status === 200 && id !== undefined) return id;
    throw new PrerequisiteError(`the organization of the token could not be asked for (${status})`);
  }

  /** Looks again and again for what a deployment does after it has answered. */
  async eventually<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    return eventually(look, what, this.patienceMs);
  }

  private usersOf(token: string | null | undefined): Credentials | undefined {
    if (token === undefined) return this.ownTokens;
    return token === null ? undefined : this.userOf(token);
  }

  /** One token, which belongs to the person of the run unless the profile names it. */
  private userOf(token: string): Credentials {
    return only(token, this.homeOf(token) === undefined ? this.ownTokens.owner : undefined);
  }

  /** The token itself if it is of another organization; undefined if any token of the run will do. */
  private homeOf(token: string | null | undefined): string | undefined {
    return typeof token === 'string' && this.foreignTokens.includes(token) ? token : undefined;
  }
}

function toLimits({ limits, rateLimits }: Profile, defaults: DefaultLimits): DefaultLimits {
  const { contentLength = defaults.contentLength, batchItems = defaults.batchItems } = limits;
  const { ingest, search, admin } = defaults.requestsPerMinute;
  return { contentLength, batchItems, requestsPerMinute: { ingest, search, admin, ...rateLimits } };
}
