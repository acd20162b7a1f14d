import type { Answer } from '../transport/answer.js';
import type { Credentials } from '../transport/credentials.js';
import { askForToken, type IssuedToken, readIssued, TOKENS } from './issued-token.js';

/** The abilities of a token for every operation. */
export const ABILITIES = ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'];

/** Sends a request under one of these credentials. */
type Send = (method: string, path: string, body: unknown, credentials: Credentials) => Promise<Answer>;

/**
 * The token that a run was given, and those that it makes beside it as it comes near the limits: they count for each
 * credential apart. Half of what the given one may is left to the requests that only it can send.
 */
export class OwnTokens implements Credentials {
  private readonly made: IssuedToken[] = [];
  private growing: Promise<void> | undefined;

  /** @param most how many are made; none where the given one cannot make them */
  constructor(
    private readonly given: string,
    private most: number,
    private readonly runId: string,
    private readonly send: Send,
  ) {}

  get owner(): string {
    return this.runId;
  }

  get tokens(): readonly string[] {
    return [...this.made.map(({ token }) => token), this.given];
  }

  get canGrow(): boolean {
    return this.made.length < this.most;
  }

  leaves(token: string, limitClass: string, limit: number): number {
    if (token === this.given) return this.canGrow ? Math.ceil(limit / 2) : 0;
    // One to be revoked with, and one to make the next.
    if (limitClass === 'admin') return this.canGrow ? 2 : 1;
    return 0;
  }

  grow(): Promise<void> {
    this.growing ??= this.make().finally(() => {
      this.growing = undefined;
    });
    return this.growing;
  }

  /** Revokes what was made. @returns what could not be revoked, in words */
  async revoke(): Promise<string[]> {
    await this.growing;
    this.most = 0;
    const faults = await Promise.all(this.made.splice(0).map((token) => this.revokeOne(token)));
    return faults.flat();
  }

  private async make(): Promise<void> {
    // Under any of them, but for the one turn that each keeps.
    const leaves = (token: string) => (token === this.given ? 0 : 1);
    const credentials = { tokens: this.tokens, owner: this.owner, canGrow: false, leaves, grow: async () => {} };
    // The checks test the creation of tokens.
    const issued = await this.send('POST', TOKENS, askForToken(this.runId, ABILITIES), credentials).then(
      readIssued,
      () => undefined,
    );
    if (issued) this.made.push(issued);
    else this.most = 0;
  }

  private async revokeOne({ id, token }: IssuedToken): Promise<string[]> {
    const credentials = { tokens: [token, this.given], canGrow: false, leaves: () => 0, grow: async () => {} };
    try {
      const { status } = await this.send('DELETE', `${TOKENS}/${id}`, undefined, credentials);
      return status === 204 ? [] : [`token ${id} could not be revoked (${status})`];
    } catch (error) {
      return [`token ${id} could not be revoked: ${(error as Error).message}`];
    }
  }
}
