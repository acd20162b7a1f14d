import { PrerequisiteError } from '../transport/prerequisite.js';
import { askForToken, type IssuedToken, readIssued, TOKENS } from './issued-token.js';
import type { Profile } from './profile.js';
import type { Requests } from './requests.js';

export type SingleAbility = 'memory:ingest' | 'memory:search' | 'memory:admin';

const IN_PROFILE = {
  'memory:ingest': 'ingestOnly',
  'memory:search': 'searchOnly',
  'memory:admin': 'adminOnly',
} as const satisfies Record<SingleAbility, keyof Profile['tokens']>;

/** Tokens with one ability each: those of the profile, else made when first asked for and revoked at the end. */
export class LimitedTokens {
  private readonly made = new Map<SingleAbility, Promise<IssuedToken>>();

  constructor(
    private readonly run: Pick<Requests, 'send' | 'runId'>,
    private readonly given: Profile['tokens'],
  ) {}

  /** @throws {PrerequisiteError} */
  async get(ability: SingleAbility): Promise<string> {
    const given = this.given[IN_PROFILE[ability]];
    if (given !== undefined) return given;
    const made = this.made.get(ability) ?? this.make(ability);
    this.made.set(ability, made);
    return (await made).token;
  }

  async revoke(): Promise<void> {
    for (const made of this.made.values()) {
      const id = await made.then((token) => token.id).catch(() => undefined);
      if (id !== undefined) await this.run.send('DELETE', `${TOKENS}/${id}`);
    }
    this.made.clear();
  }

  private async make(ability: SingleAbility): Promise<IssuedToken> {
    const answer = await this.run.send('POST', TOKENS, askForToken(this.run.runId, [ability]));
    const issued = readIssued(answer);
    if (issued) return issued;
    throw new PrerequisiteError(
      `a token with ${ability} alone could not be made (${answer.status}): name one in the profile as tokens.${IN_PROFILE[ability]}, or run --without limited-tokens`,
    );
  }
}
