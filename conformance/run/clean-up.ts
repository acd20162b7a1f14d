import type { Target } from '../world/target.js';
import { type Left, TAG, type Written } from '../world/written.js';

/** How many memories one request deletes: updates and deletes have the lowest limit per minute. */
const AT_ONCE = 200;

/** Deletes what a run writes: many memories at once while it goes on, and at the end whatever is left. */
export class CleanUp {
  private queue: Left[] = [];
  private working: Promise<void> = Promise.resolve();
  private deletesMany = true;
  private readonly faults = new Map<string, string>();

  constructor(private readonly target: Target) {}

  /** Adds the memories that a check left to those to delete. */
  take({ left }: Written): void {
    this.queue.push(...left);
    if (this.queue.length >= AT_ONCE) this.work();
  }

  /** Deletes what was added, and waits until nothing is being deleted. */
  async idle(): Promise<void> {
    this.work();
    await this.working;
  }

  /**
   * Deletes the rest, and every memory that carries the tag of the run in the organizations of these tokens.
   *
   * @param tokens undefined stands for those of the run
   * @returns what could not be deleted, in words
   */
  async finish(tokens: readonly (string | undefined)[]): Promise<string[]> {
    this.take(this.target.ledger.shared);
    await this.idle();
    const faults = await Promise.all(tokens.map((token) => this.sweep(token)));
    return [...faults.flat(), ...this.faults.values()];
  }

  private work(): void {
    const taken = this.queue;
    this.queue = [];
    this.working = this.working.then(async () => {
      for (const token of new Set(taken.map((left) => left.token))) {
        const ids = taken.filter((left) => left.token === token).map(({ id }) => id);
        for (let at = 0; at < ids.length; at += AT_ONCE) await this.eraseMany(ids.slice(at, at + AT_ONCE), token);
      }
    });
  }

  /** Deletes memories in one request, or one by one if the deployment cannot. */
  private async eraseMany(ids: readonly string[], token: string | undefined): Promise<void> {
    if (this.deletesMany && ids.length > 1) {
      this.deletesMany = await this.target.eraseMany(ids, token).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (this.deletesMany) return;
    }
    for (const id of ids) await this.erase({ id, token });
  }

  private async sweep(token: string | undefined): Promise<string[]> {
    try {
      const filter = { match: { [TAG]: this.target.runId } };
      const pages = await this.target.pages(
        'export',
        { filter, limit: this.target.largestPage },
        token === undefined ? {} : { token },
      );
      const own = pages
        .flatMap(({ memories }) => memories)
        // A faulty deployment may list what the filter leaves out: nobody else's memory is deleted for that.
        .filter(({ metadata }) => metadata?.[TAG] === this.target.runId);
      for (const { id } of own) await this.erase({ id, token });
      return [];
    } catch (error) {
      return [`what is left of the run could not be looked for: ${(error as Error).message}`];
    }
  }

  private async erase(left: Left): Promise<void> {
    const fault = await this.target.erase(left).then(
      ({ status }) => (status < 300 || status === 404 ? undefined : String(status)),
      (error: Error) => error.message,
    );
    if (fault === undefined) this.faults.delete(left.id);
    else this.faults.set(left.id, `memory ${left.id} could not be deleted: ${fault}`);
  }
}
