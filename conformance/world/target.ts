import { needed } from '../transport/prerequisite.js';
import { ContentScan } from './content-scan.js';
import { Endpoints } from './endpoints.js';
import { LimitedTokens, type SingleAbility } from './limited-tokens.js';
import { MemoryRequests } from './memory-requests.js';
import { People, type Person, type SharedRole } from './people.js';
import type { RequestOptions } from './requests.js';
import { Senders } from './senders.js';
import { SubjectKeys } from './subject-keys.js';

export interface TargetOptions extends RequestOptions {
  /** Those who are members already, for the checks that do nothing to a person; they are invited where it is absent. */
  people?: (role: SharedRole) => Promise<Person>;
}

/** The deployment that a run looks at, and what checks need to look at it. */
export class Target extends MemoryRequests {
  /** The senders of inbound webhooks. */
  readonly senders: Senders;
  /** The receivers of outbound webhooks. */
  readonly endpoints: Endpoints;
  /** The people that checks invite. */
  readonly people: People;
  /** The subject keys that memories may have. */
  readonly subjectKeys: SubjectKeys;
  readonly contentScan = new ContentScan(this);
  private readonly limitedTokens: LimitedTokens;
  private readonly givenSecondToken: string | undefined;

  constructor({ people: known, ...options }: TargetOptions) {
    super(options);
    const { tokens, mail, inboundWebhooks, outboundWebhooks, subjectKeyType } = options.profile;
    this.givenSecondToken = options.secondToken ?? tokens.second;
    this.senders = new Senders(this, inboundWebhooks);
    this.endpoints = new Endpoints(this, outboundWebhooks);
    this.people = new People(this, {
      owner: tokens.people,
      mail: options.without.has('mail') ? undefined : mail,
      known,
    });
    this.subjectKeys = new SubjectKeys(this, subjectKeyType);
    this.limitedTokens = new LimitedTokens(this, tokens);
  }

  /** The token of the second organization. @throws {PrerequisiteError} */
  get secondToken(): string {
    return needed(
      this.givenSecondToken,
      'a token of a second organization: --second-token, or tokens.second of the profile',
    );
  }

  /** A token with one ability. @throws {PrerequisiteError} */
  async limitedToken(ability: SingleAbility): Promise<string> {
    return this.limitedTokens.get(ability);
  }

  /** Gives back what the run holds beside memories. @returns what could not be given back, in words */
  async release(): Promise<string[]> {
    await this.limitedTokens.revoke();
    await this.senders.release();
    await this.endpoints.release();
    await this.people.release();
    return this.ownTokens.revoke();
  }
}
