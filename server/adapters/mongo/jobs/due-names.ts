import type { Collection } from 'mongodb';
import type { JobDocument } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';

/** Interval at which a process without work looks for jobs that other processes enqueued or lost. */
const LOOK_MS = 5_000;
/** How far ahead a look sees: beyond the next one, so that a job that waits for its time runs on time. */
const SEEN_MS = 2 * LOOK_MS;
/** Jobs that one look reads. */
const MAX_READ = 100;

/**
 * The names that may have jobs to lock. It saves the commands that would lock a job of each name where there is none:
 * one read every few seconds answers for all names. A name that this process enqueued is known at once.
 */
export class DueNames {
  readonly #jobs: Collection<JobDocument>;
  /** Until when a name may have jobs, as far as was seen. */
  readonly #until = new Map<string, number>();
  /** Age at which the lock of a job expires, for each name that was asked for. */
  readonly #lockMs = new Map<string, number>();
  #look: Promise<void> = Promise.resolve();
  #lookedAt = 0;

  constructor(jobs: Collection<JobDocument>) {
    this.#jobs = jobs;
  }

  /** Makes a name count as due, since it has a job that may run from now, or from `at` in milliseconds. */
  add(name: string, at = 0): void {
    const now = Date.now();
    // A look finds jobs of a later time.
    if (at <= now + SEEN_MS) this.#until.set(name, now + SEEN_MS);
  }

  /**
   * Reports if a name may have a job to lock.
   *
   * @param lockDeadline locks taken before have expired
   */
  async has(name: string, lockDeadline: Date): Promise<boolean> {
    const now = Date.now();
    const isKnown = this.#lockMs.has(name);
    this.#lockMs.set(name, now - lockDeadline.getTime());
    // The last look did not ask for a new name.
    if (!isKnown || this.#isDue(name)) return true;
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      this.#look = this.#lookNow(now);
    }
    await this.#look;
    return this.#isDue(name);
  }

  #isDue(name: string): boolean {
    return Date.now() < (this.#until.get(name) ?? 0);
  }

  async #lookNow(now: number): Promise<void> {
    const names = [...this.#lockMs.keys()];
    const lost = [...this.#lockMs].map(([name, ms]) => ({ name, lockedAt: { $lte: new Date(now + SEEN_MS - ms) } }));
    const due = { name: { $in: names }, lockedAt: null, nextRunAt: { $lte: new Date(now + SEEN_MS) } };
    const options = { projection: { _id: 0, name: 1 }, limit: MAX_READ, batchSize: MAX_READ + 1 } as const;
    try {
      const found = await guarded(() => this.#jobs.find({ $or: [due, ...lost] } as object, options).toArray());
      // Names may be missing from a result that was cut off.
      const seen = found.length === MAX_READ ? names : found.map(({ name }) => name);
      for (const name of seen) this.#until.set(name, now + SEEN_MS);
    } catch (error) {
      this.#lookedAt = 0;
      throw error;
    }
  }
}
