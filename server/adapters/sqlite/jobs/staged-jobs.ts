import type { JobName } from '../../../ports/job-queue.js';

/** Collects the names of new jobs, and reports them when their transaction is committed. */
export class StagedJobs {
  #listener: (names: ReadonlySet<JobName>) => void = () => {};
  #kept = new Set<JobName>();
  #current = new Set<JobName>();

  onCommitted(listener: (names: ReadonlySet<JobName>) => void): void {
    this.#listener = listener;
  }

  stage(name: JobName): void {
    this.#current.add(name);
  }

  unitKept(): void {
    for (const name of this.#current) this.#kept.add(name);
    this.#current.clear();
  }

  unitDropped(): void {
    this.#current.clear();
  }

  committed(): void {
    const names = this.#kept;
    this.abandoned();
    if (names.size > 0) this.#listener(names);
  }

  abandoned(): void {
    this.#kept = new Set();
    this.#current.clear();
  }
}
