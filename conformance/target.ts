import type { Answer, MemoryRecord } from './answer.js';
import type { Capability } from './capability.js';
import { PrerequisiteError } from './check.js';
import { Contract } from './contract.js';
import { type Credentials, only } from './credentials.js';
import { Endpoints } from './endpoints.js';
import { eventually } from './eventually.js';
import { Http, judge } from './http.js';
import { LimitedTokens, type SingleAbility } from './limited-tokens.js';
import { OwnTokens } from './own-tokens.js';
import type { Transport } from './paced.js';
import { People, type Person, type SharedRole } from './people.js';
import type { Profile } from './profile.js';
import { type Sending, toRequest } from './request.js';
import { Senders } from './senders.js';
import { ToolClient } from './tool-client.js';
import { randomToken, randomWords } from './words.js';
import { Ledger, type Left, TAG } from './written.js';

export type { Sending } from './request.js';

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

/** Members of an ingest or upsert; content and the tag in the metadata are made where they are absent. */
export interface Fields {
  content?: string;
  metadata?: Record<string, unknown>;
  externalKey?: string;
  scope?: { source?: string; project?: string };
  subjectKey?: string | number;
}

export type Read = 'recent' | 'export' | 'stats' | 'changes';

/** Before every memory of a run. */
const ALWAYS = '2020-01-01T00:00:00Z';

/** The deployment that a run looks at, and what checks need to look at it. */
export class Target {
  /** Marks everything that this run writes. */
  readonly runId = `run-${randomToken(12)}`;
  readonly contract: Contract;
  readonly profile: Profile;
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
  /** Who wrote what. */
  readonly ledger = new Ledger(this.runId);
  private readonly ownTokens: OwnTokens;
  private readonly limitedTokens: LimitedTokens;
  private largeProject: Promise<string> | undefined;
  private subjectKeyType: Promise<'integer' | 'string'> | undefined;

  constructor(private readonly options: TargetOptions) {
    this.contract = options.contract ?? Contract.load();
    this.profile = options.profile;
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

  /** A text that no other check and no other run has written. */
  unique(topic: string): string {
    return `${topic} ${randomWords(6)} ${randomToken(10)}`;
  }

  /** Two texts that the deployment takes for nearly the same: those of the profile, or one in two spellings. */
  nearDuplicates(): readonly [string, string] {
    const mark = this.unique('near');
    const [one, other] = this.profile.nearDuplicates ?? ['the release notes of', 'The  Release Notes of'];
    return [`${one} ${mark}`, `${other} ${mark}`];
  }

  /** A word for a key, a project or an agent that no other check uses. */
  word(): string {
    return `c-${randomToken(14)}`;
  }

  /** Metadata with the tag of the run. */
  tagged(metadata: Record<string, unknown> = {}): Record<string, unknown> {
    return { ...metadata, [TAG]: this.runId };
  }

  /** What an ingest sends: a text of its own unless one is given, and tagged metadata. */
  fields({ content = this.unique('memory'), metadata, ...others }: Fields = {}): Fields {
    return { content, metadata: this.tagged(metadata), ...others };
  }

  async ingest(fields: Fields = {}, sending?: Sending): Promise<Answer> {
    return this.send('POST', '/api/memories', this.fields(fields), sending);
  }

  async upsert(fields: Fields = {}, sending?: Sending): Promise<Answer> {
    return this.send('PUT', '/api/memories', this.fields({ externalKey: this.word(), ...fields }), sending);
  }

  async batch(items: readonly unknown[], others: Record<string, unknown> = {}): Promise<Answer> {
    return this.send('POST', '/api/memories/batch', { items, ...others });
  }

  async search(body: Record<string, unknown>, sending?: Sending): Promise<Answer> {
    return this.send('POST', '/api/memories/search', body, sending);
  }

  async get(id: string, query: Record<string, unknown> = {}, sending: Sending = {}): Promise<Answer> {
    return this.send('GET', `/api/memories/${id}`, undefined, { ...sending, query });
  }

  async patch(id: string, body: unknown, sending?: Sending): Promise<Answer> {
    return this.send('PATCH', `/api/memories/${id}`, body, sending);
  }

  async delete(id: string, sending?: Sending): Promise<Answer> {
    return this.send('DELETE', `/api/memories/${id}`, undefined, sending);
  }

  /** One of the reads by GET; changes since ever unless `since` is given. */
  async read(which: Read, query: Record<string, unknown> = {}, sending: Sending = {}): Promise<Answer> {
    const since = which === 'changes' ? { since: ALWAYS } : {};
    return this.send('GET', `/api/memories/${which}`, undefined, { ...sending, query: { ...since, ...query } });
  }

  /**
   * A memory that the check builds on.
   *
   * @throws {PrerequisiteError}
   */
  async stored(fields: Fields = {}, sending?: Sending): Promise<MemoryRecord> {
    const answer = await this.ingest(fields, sending);
    return created(answer, 'storing a memory');
  }

  /** @throws {PrerequisiteError} */
  async storedByKey(fields: Fields = {}): Promise<MemoryRecord> {
    return created(await this.upsert(fields), 'storing a memory by its key');
  }

  /** A project of one memory more than a page has unless asked otherwise; made once, for deleting so many takes long. */
  async projectOf101(): Promise<string> {
    this.largeProject ??= this.ledger.share(() => this.storeMany(101));
    return this.largeProject;
  }

  /** A memory that was deleted. @throws {PrerequisiteError} */
  async deleted(fields: Fields = {}): Promise<MemoryRecord> {
    const memory = await this.stored(fields);
    const answer = await this.delete(memory.id);
    if (answer.status !== 204) throw new PrerequisiteError(`deleting a memory was answered with ${answer.status}`);
    return memory;
  }

  /** Every page of a feed of changes or an export, from the start or from a cursor. */
  async pages(which: 'export' | 'changes', query: Record<string, unknown>, sending?: Sending): Promise<Answer[]> {
    const pages: Answer[] = [];
    let { cursor } = query;
    for (;;) {
      const page = await this.read(which, { ...query, cursor }, sending);
      if (page.status !== 200) throw new PrerequisiteError(`a page of ${which} was answered with ${page.status}`);
      pages.push(page);
      const next = which === 'export' ? page.headers.get('x-next-cursor') : page.body.nextCursor;
      if (typeof next !== 'string' || next === cursor || page.memories.length === 0) return pages;
      cursor = next;
    }
  }

  /** The type of subject keys of the first organization. @throws {PrerequisiteError} */
  async typeOfSubjectKeys(): Promise<'integer' | 'string'> {
    this.subjectKeyType ??= this.askSubjectKeyType();
    return this.subjectKeyType;
  }

  /** A subject key of the right type that no other check uses. */
  async subjectKey(): Promise<string | number> {
    const word = randomToken(12);
    return (await this.typeOfSubjectKeys()) === 'string' ? `subject ${word}` : Number.parseInt(word.slice(0, 9), 36);
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

  private async storeMany(count: number): Promise<string> {
    const project = this.word();
    const size = this.profile.limits.batchItems;
    for (let left = count; left > 0; left -= size) {
      const fields = () => this.fields({ content: this.unique(`one of ${project}`), metadata: { project } });
      await this.batch(Array.from({ length: Math.min(size, left) }, fields));
    }
    return project;
  }

  private async askSubjectKeyType(): Promise<'integer' | 'string'> {
    if (this.profile.subjectKeyType) return this.profile.subjectKeyType;
    const { status, body } = await this.send('GET', '/api/organization/settings');
    const type = status === 200 ? body.subjectKeyType : undefined;
    if (type === 'integer' || type === 'string') return type;
    throw new PrerequisiteError(
      'the organization has no subject key type, or it cannot be read: choose one, name it in the profile as subjectKeyType, or run --without subject-keys',
    );
  }
}

/** @throws {PrerequisiteError} */
export function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new PrerequisiteError(`the check needs ${what}`);
  return value;
}

function created(answer: Answer, what: string): MemoryRecord {
  if (answer.status === 201 && typeof answer.body.id === 'string') return answer.memory;
  throw new PrerequisiteError(`${what} was answered with ${answer.status}: ${answer.text.slice(0, 200)}`);
}
