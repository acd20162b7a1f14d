import { PrerequisiteError } from './check.js';
import type { Profile } from './profile.js';
import type { Target } from './target.js';

export type SingleAbility = 'memory:ingest' | 'memory:search' | 'memory:admin';

const IN_PROFILE = {
  'memory:ingest': 'ingestOnly',
  'memory:search': 'searchOnly',
  'memory:admin': 'adminOnly',
} as const satisfies Record<SingleAbility, keyof Profile['tokens']>;

interface Made {
  id: string;
  token: string;
}

/** Tokens with one ability each: those of the profile, else made when first asked for and revoked at the end. */
export class LimitedTokens {
  private readonly made = new Map<SingleAbility, Promise<Made>>();

  constructor(private readonly target: Target) {}

  /** @throws {PrerequisiteError} */
  async get(ability: SingleAbility): Promise<string> {
    const given = this.target.profile.tokens[IN_PROFILE[ability]];
    if (given !== undefined) return given;
    const made = this.made.get(ability) ?? this.make(ability);
    this.made.set(ability, made);
    return (await made).token;
  }

  async revoke(): Promise<void> {
    for (const made of this.made.values()) {
      const id = await made.then((token) => token.id).catch(() => undefined);
      if (id !== undefined) await this.target.send('DELETE', `/api/organization/tokens/${id}`);
    }
    this.made.clear();
  }

  private async make(ability: SingleAbility): Promise<Made> {
    const answer = await this.target.send('POST', '/api/organization/tokens', {
      name: `conformance ${this.target.runId}`,
      abilities: [ability],
    });
    const { id, token } = answer.body;
    if (answer.status === 201 && typeof id === 'string' && typeof token === 'string') return { id, token };
    throw new PrerequisiteError(
      `a token with ${ability} alone could not be made (${answer.status}): name one in the profile as tokens.${IN_PROFILE[ability]}, or run --without limited-tokens`,
    );
  }
}
