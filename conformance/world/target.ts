import type { Capability } from '../checks/capability.js';
import { PrerequisiteError } from '../checks/check.js';
import type { Profile } from '../run/profile.js';
import type { Answer } from '../transport/answer.js';
import { Contract } from '../transport/contract.js';
import { eventually } from '../transport/eventually.js';
import { Http, judge } from '../transport/http.js';
import type { Transport } from '../transport/paced.js';
import { type Sending, toRequest } from '../transport/request.js';
import { ToolClient } from '../transport/tool-client.js';
import { type Credentials, only } from './credentials.js';
import { Endpoints } from './endpoints.js';
import { LimitedTokens, type SingleAbility } from './limited-tokens.js';
import { MemoryRequests } from './memory-requests.js';
import { OwnTokens } from './own-tokens.js';
import { People, type Person, type SharedRole } from './people.js';
import { Senders } from './senders.js';
import { SubjectKeys } from './subject-keys.js';
import type { Left } from './written.js';

export type { Sending } from '../transport/request.js';

export interface TargetOptions {
  transport: Transport;
  token: string;
  secondToken?: string | undefined;
  profile: Profile;
  without: ReadonlySet<Capability>;
  contract?: Contract;
  /** Those who are members already, for the checks that do nothing to a person; they are invited where it is absent. */
  people?: (role: SharedRole) => Promise<Person>;
  /** How long is waited for what a deployment does after it has answered. */
  patienceMs?: number;
  /** How many tokens the run may make for itself; none unless given. */
  ownTokens?: number;
}

/** The deployment that a run looks at, and what checks need to look at it. */
export class Target extends MemoryRequests {
  readonly contract: Contract;
  readonly http: Http;
  /** The tool interface. */
  readonly tools: ToolClient;
  readonly without: ReadonlySet<Capability>;
  /** Who brings events. */
  readonly senders: Senders;
  /** Who is told of changes. */
  readonly endpoints: Endpoints;
  /** Who is invited. */
  readonly people: People;
  /** What subject keys memories may have. */
  readonly subjectKeys: SubjectKeys;
  private readonly ownTokens: OwnTokens;
  private readonly limitedTokens: LimitedTokens;

  constructor(private readonly options: TargetOptions) {
    super(options.profile);
    this.contract = options.contract ?? Contract.load();
    this.without = options.without;
    this.http = new Http({
      transport: options.transport,
      contract: this.contract,
      withHeaders: !options.without.has('response-headers'),
      limits: options.profile.rateLimits,
    });
    this.ownTokens = new OwnTokens(options.token, options.ownTokens ?? 0, this.runId, (method, path, body, users) =>
      this.http.send(toRequest(method, path, body, {}), users),
    );
    this.tools = new ToolClient(this.http, this.contract, (call, answer) =>
      this.ledger.noteTool(call, answer, this.homeOf(call.token)),
    );
    this.senders = new Senders(this);
    this.endpoints = new Endpoints(this);
    this.people = new People(this, options.people);
    this.subjectKeys = new SubjectKeys(this);
    this.limitedTokens = new LimitedTokens(this);
  }

  get token(): string {
    return this.options.token;
  }

  /** The token of the second organization. */
  get secondToken(): string {
    const token = this.options.secondToken ?? this.profile.tokens.second;
    return needed(token, 'a token of a second organization: --second-token, or tokens.second of the profile');
  }

  /**
   * Sends one request, under any token of the run unless one is named. A string is sent as it is, anything else as JSON.
   *
   * @throws {ContractError} when the contract has no such answer
   */
  override async send(method: string, path: string, body?: unknown, sending: Sending = {}): Promise<Answer> {
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

  /** The id of the organization that a token resolves to. @throws {PrerequisiteError} */
  async organizationId(token = this.token): Promise<string> {
    const { status, body } = await this.send('GET', '/api/session', undefined, { token });
    const { id } = (body.organization ?? {}) as { id?: string };
    if (status === 200 && id !== undefined) return id;
    throw new PrerequisiteError(`the organization of the token could not be asked for (${status})`);
  }

  /** A token with one ability. @throws {PrerequisiteError} */
  async limitedToken(ability: SingleAbility): Promise<string> {
    return this.limitedTokens.get(ability);
  }

  /** Looks again and again for what a deployment does after it has answered. */
  async eventually<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    return eventually(look, what, this.options.patienceMs);
  }

  /** Gives back what the run holds beside memories. @returns what could not be given back, in words */
  async release(): Promise<string[]> {
    await this.limitedTokens.revoke();
    await this.senders.release();
    await this.endpoints.release();
    await this.people.release();
    return this.ownTokens.revoke();
  }

  private usersOf(token: string | null | undefined): Credentials | undefined {
    if (token === undefined) return this.ownTokens;
    return token === null ? undefined : only(token);
  }

  /** The token itself where it is of another organization, and else any will do. */
  private homeOf(token: string | null | undefined): string | undefined {
    const { ingestOnly, searchOnly, adminOnly, ...others } = this.profile.tokens;
    const foreign: readonly unknown[] = [this.options.secondToken, ...Object.values(others)];
    return typeof token === 'string' && foreign.includes(token) ? token : undefined;
  }
}

/** @throws {PrerequisiteError} */
export function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new PrerequisiteError(`the check needs ${what}`);
  return value;
}
