import type { Target } from '../world/target.js';
import { type Left, TAG, type Written } from '../world/written.js';

/** How many deletes are under way at once: the checks go first. */
const AT_ONCE = 4;

/** Deletes what a run writes: each check's memories as soon as it is over, and at the end whatever is left. */
export class CleanUp {
  private readonly queue: Left[] = [];
  private readonly workers = new Set<Promise<void>>();
  private readonly faults = new Map<string, string>();

  constructor(private readonly target: Target) {}

  /** Adds the memories that a check left to those to delete. */
  take({ left }: Written): void {
    this.queue.push(...left);
    while (this.workers.size < Math.min(AT_ONCE, this.queue.length)) {
      const worker: Promise<void> = this.work().finally(() => this.workers.delete(worker));
      this.workers.add(worker);
    }
  }

  /** Waits until nothing is being deleted. */
  async idle(): Promise<void> {
    await Promise.all(this.workers);
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

  private async work(): Promise<void> {
    for (let next = this.queue.shift(); next; next = this.queue.shift()) await this.erase(next);
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
