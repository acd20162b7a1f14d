import { setImmediate } from 'node:timers/promises';
import { Checks, checkThroughStore, type Findings, layDown } from './check.js';
import { Claims } from './claims.js';
import { randomFrom, signatureOf, VARIANTS } from './crashes.js';
import { Disk, type Image, type Kept } from './disk.js';
import type { TraceEvent } from './trace.js';

interface ReplayOptions {
  /** The number of crash states to check. */
  states: number;
  seed: number;
  /** The folder in which to build the states, one after the other. */
  folder: string;
}

export interface Report {
  /** The number of different crash states checked. */
  states: number;
  /** The number of points in the trace at which the power could fail. */
  points: number;
  /** The number of claims at the end, and the most claims between two changes of the disk. */
  claims: number;
  largestGroup: number;
  /** States in which an acknowledged write was missing, and states in which something was broken. */
  losing: number;
  corrupted: number;
  /** One line for each of the first few faulty states. */
  examples: string[];
}

/** One of this many states is also opened by the store itself, which writes more than a check alone. */
const EVERY_STORE = 40;
const MAX_TRIES = 16;
const MAX_EXAMPLES = 5;

/**
 * Cuts the power at every point of a trace, evenly in as many ways as requested, and checks what is left on the disk.
 */
export async function replay(events: readonly TraceEvent[], options: ReplayOptions): Promise<Report> {
  const points = events.filter(({ kind }) => kind !== 'claim').length + 1;
  const report: Report = { states: 0, points, claims: 0, largestGroup: 0, losing: 0, corrupted: 0, examples: [] };
  const run = new Replay(options, report);
  for (const event of [...events, undefined]) {
    if (event?.kind === 'claim') {
      run.claim(event.line);
      continue;
    }
    // Crashes just before the next change of the disk, when the claims are strongest.
    await run.crash();
    if (event) run.disk.apply(event);
  }
  return report;
}

class Replay {
  readonly disk = new Disk();
  readonly claims = new Claims();
  readonly #random: () => number;
  readonly #checks = new Checks();
  readonly #seen = new Set<string>();
  #point = 0;
  #variant = 0;
  #group = 0;

  constructor(
    private readonly options: ReplayOptions,
    private readonly report: Report,
  ) {
    this.#random = randomFrom(options.seed);
  }

  claim(line: string): void {
    this.claims.add(line);
    this.report.claims += 1;
    this.#group += 1;
    this.report.largestGroup = Math.max(this.report.largestGroup, this.#group);
  }

  /** Crashes here until as many states are checked as are due by now, or until this point has no new one. */
  async crash(): Promise<void> {
    this.#point += 1;
    this.#group = 0;
    const due = Math.ceil((this.options.states * this.#point) / this.report.points);
    for (let tries = 0; tries < MAX_TRIES && this.report.states < due; tries += 1) {
      // Rotates over all points, so each variant gets its share even if a point has few states.
      this.#variant = (this.#variant + 1) % VARIANTS.length;
      const kept = VARIANTS[this.#variant]?.keep(this.disk.pending, this.#random) ?? [];
      if (this.#isNew(kept)) await this.#check(this.disk.afterCrash(kept));
    }
    // Yields to other work: the runner considers a silent test dead.
    await setImmediate();
  }

  /** The same bytes with the same claims are one state, at however many points they occur. */
  #isNew(kept: readonly Kept[]): boolean {
    const { generation, pending } = this.disk;
    const key = `${generation} ${this.report.claims} ${signatureOf(kept, pending)}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  async #check(image: Image): Promise<void> {
    const { report, claims } = this;
    const { folder } = this.options;
    report.states += 1;
    layDown(image, folder);
    const findings = [this.#checks.check(folder, claims)];
    if (report.states % EVERY_STORE === 0) {
      layDown(image, folder);
      findings.push(await checkThroughStore(folder, claims));
    }
    this.#count(findings);
  }

  #count(findings: readonly Findings[]): void {
    const { report } = this;
    const lost = findings.flatMap((each) => each.lost);
    const corrupt = findings.flatMap((each) => each.corrupt);
    if (lost.length > 0) report.losing += 1;
    if (corrupt.length > 0) report.corrupted += 1;
    const [first] = [...corrupt, ...lost];
    if (first === undefined || report.examples.length >= MAX_EXAMPLES) return;
    const counts = `${lost.length} lost, ${corrupt.length} broken`;
    report.examples.push(`${VARIANTS[this.#variant]?.name} at point ${this.#point}: ${counts}, such as: ${first}`);
  }
}
