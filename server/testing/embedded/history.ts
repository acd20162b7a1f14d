import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { SqliteStore } from '../../adapters/sqlite/sqlite-store.js';
import { openSqliteStore } from '../../adapters/sqlite/store.js';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { StoreUnavailableError } from '../../ports/store-errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { MemoryModel } from '../adapter-suites/model/memory-model.js';
import { anOrganization, NORTH } from '../fixtures/memories.js';
import { SeededChoices } from '../fixtures/seeded-choices.js';
import { makeQuickFolder } from '../processes/quick-folder.js';
import { compareAnswer } from './answer.js';
import { copyFiles, indexFiles, type KeptFile, putFiles } from './data-folder.js';
import { damageSomething, KINDS_OF_DAMAGE } from './index-damage.js';
import { TestThreads } from './test-threads.js';
import { changeSomething, copyOf, someQuestion, type World } from './world.js';

/** The kinds of step with their relative frequencies. */
const STEPS = { write: 466, ask: 470, crowd: 30, restart: 12, kill: 8, lose: 4, found: 4, restore: 2 };
type StepKind = keyof typeof STEPS | 'let go';

const WORLDS = 5;
const MICROSECONDS = 1_000_000;
/** From almost nothing, which keeps one index resident, to enough for all. */
const BUDGETS = [1, 6_000, 12_000, 1_000_000];
const MAX_KEPT_FILES = 12;
/** Rows of a matrix that stay outside the threads, if there are threads. */
const LOCAL_ROWS = 7;
/** Rows of an index that the main thread builds. */
const SMALL_ROWS = 4;

/** A former database, and the expected contents. */
interface Backup {
  folder: string;
  worlds: readonly World[];
}

/**
 * Writes, searches, closes, kills, damages and restores a store in an order that the seed decides. Compares each answer
 * with a model of each organization.
 */
export class History implements AsyncDisposable {
  /** Counts the steps of each kind, and how often an index was evicted. */
  readonly counts = new Map<StepKind, number>();
  readonly #choices: SeededChoices;
  readonly #folder = makeQuickFolder();
  readonly #kept: KeptFile[] = [];
  /** Stores share the threads, which take long to start. */
  readonly #threads = new TestThreads(LOCAL_ROWS);
  #dataDir = '';
  #store: SqliteStore | undefined;
  #worlds: World[] = [];
  #backup: Backup | undefined;
  #asked = new Set<string>();
  #folders = 0;
  #now = 1_700_000_000 * MICROSECONDS;

  constructor(seed: number) {
    this.#choices = new SeededChoices(seed);
  }

  async start(): Promise<void> {
    // Files of an unrelated database.
    this.#dataDir = this.#newFolder();
    await this.#open();
    await this.#found();
    await this.#write();
    await this.#checkAll();
    await this.#close();
    this.#keep(indexFiles(this.#dataDir));
    this.#moveTo(this.#newFolder());
    this.#worlds = [];
    await this.#open();
    for (let n = 0; n < WORLDS; n += 1) await this.#found();
  }

  /** Makes one more step, and throws if an answer is wrong. */
  async step(): Promise<StepKind> {
    const kind = this.#choices.weighted(STEPS);
    this.#count(kind);
    await this.#take(kind);
    return kind;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    await this.#threads[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #take(kind: keyof typeof STEPS): Promise<void> {
    this.#now += this.#choices.below(3_600) * MICROSECONDS;
    if (kind === 'write') return this.#write();
    if (kind === 'ask') return this.#ask(this.#choices.pick(this.#worlds));
    if (kind === 'crowd') return this.#crowd();
    if (kind === 'restart') return this.#restart();
    if (kind === 'kill') return this.#kill();
    if (kind === 'found') return this.#found();
    if (kind === 'lose') return this.#lose();
    return this.#restore();
  }

  /** Runs a unit of some changes, and rolls it back now and then. */
  async #write(world = this.#choices.pick(this.#worlds)): Promise<void> {
    const changes = 1 + this.#choices.below(3);
    const fails = this.#choices.chance(0.12);
    await this.#unit(world, async (unit) => {
      for (let n = 0; n < changes; n += 1) await changeSomething(unit, world, this.#choices);
      if (fails) throw new OnPurposeError();
    });
  }

  /** Runs a unit. If it fails on purpose, the model stays unchanged. */
  async #unit(world: World, work: (unit: UnitOfWork) => Promise<void>): Promise<void> {
    const running = this.#running.transact(world.id, async (unit) => {
      // Units run one after the other, so this is the state that the previous ones left.
      const before = world.model.copy();
      try {
        await work(unit);
      } catch (error) {
        world.model.become(before);
        throw error;
      }
    });
    await running.catch((error: unknown) => {
      if (!(error instanceof OnPurposeError)) throw error;
    });
  }

  async #ask(world: World, query = someQuestion(world, this.#choices, this.#now)): Promise<void> {
    const found = await this.#running.memories.nearest(world.id, query);
    compareAnswer(found, world.model, query);
    this.#asked.add(world.id);
    if (this.#running.indexUse().organizations < this.#asked.size) this.#count('let go');
  }

  /** Writes and searches at the same time. What the searches find depends on their order. */
  async #crowd(): Promise<void> {
    const running = Array.from({ length: 2 + this.#choices.below(5) }, () => {
      const world = this.#choices.pick(this.#worlds);
      if (this.#choices.chance(0.6)) return this.#write(world);
      return this.#running.memories.nearest(world.id, someQuestion(world, this.#choices, this.#now));
    });
    await Promise.all(running);
    await this.#checkAll();
  }

  /** Kills the threads while searches wait for them. */
  async #lose(): Promise<void> {
    const asked = this.#worlds.map((world) => someQuestion(world, this.#choices, this.#now));
    const asking = Promise.all(this.#worlds.map(({ id }, n) => this.#running.memories.nearest(id, asked[n]!)));
    await this.#threads.kill();
    for (const [n, found] of (await asking).entries()) compareAnswer(found, this.#worlds[n]!.model, asked[n]!);
    await this.#checkAll();
  }

  /** Replaces the oldest organization by a new one; the files of the old one stay. */
  async #found(): Promise<void> {
    this.#worlds.push({ id: await anOrganization(this.#running), model: new MemoryModel() });
    if (this.#worlds.length > WORLDS) this.#worlds.shift();
  }

  async #restart(): Promise<void> {
    await this.#close(this.#choices.chance(0.3) ? 2 : 0);
    this.#keep(indexFiles(this.#dataDir));
    if (this.#choices.chance(0.3)) this.#backUp();
    this.#damage();
    await this.#open();
    await this.#afterOpening();
  }

  /** Continues with the folder as it is: between two units, within one, or while the store is closing. */
  async #kill(): Promise<void> {
    const left = this.#newFolder();
    const copy = () => copyFiles(this.#dataDir, left);
    const moment = this.#choices.pick(['between', 'within', 'closing']);
    if (moment === 'between') copy();
    if (moment === 'within') await this.#rolledBack(copy);
    const closing = this.#close();
    if (moment === 'closing') {
      for (let turns = this.#choices.below(12); turns > 0; turns -= 1) await setImmediate();
      copy();
    }
    await closing;
    // Index files that the killed process left belong to a database that is gone.
    const orphans = indexFiles(this.#dataDir);
    this.#keep(orphans);
    if (this.#choices.chance(0.3)) putFiles(left, orphans);
    this.#moveTo(left);
    this.#damage();
    await this.#open();
    await this.#afterOpening();
  }

  /** Restores an older database and keeps the current index files. */
  async #restore(): Promise<void> {
    if (!this.#backup) return;
    await this.#close();
    const restored = this.#newFolder();
    copyFileSync(join(this.#backup.folder, 'memory.db'), join(restored, 'memory.db'));
    putFiles(restored, indexFiles(this.#dataDir));
    this.#moveTo(restored);
    this.#worlds = this.#backup.worlds.map(copyOf);
    this.#damage();
    await this.#open();
    await this.#afterOpening();
  }

  /** The first calls after a start find indexes missing or incomplete. */
  async #afterOpening(): Promise<void> {
    if (this.#choices.chance(0.5)) return this.#crowd();
    if (this.#choices.chance(0.5)) for (const world of this.#worlds) await this.#write(world);
    await this.#checkAll();
  }

  async #checkAll(): Promise<void> {
    for (const world of this.#worlds) {
      await this.#ask(world, { vector: NORTH, limit: 1_000, filter: NO_FILTER, includeDeleted: false });
    }
  }

  async #rolledBack(within: () => void): Promise<void> {
    const world = this.#choices.pick(this.#worlds);
    await this.#unit(world, async (unit) => {
      await changeSomething(unit, world, this.#choices);
      await changeSomething(unit, world, this.#choices);
      within();
      throw new OnPurposeError();
    });
  }

  #damage(): void {
    while (this.#choices.chance(0.6)) {
      damageSomething(this.#dataDir, this.#choices.pick(KINDS_OF_DAMAGE), this.#kept, this.#choices);
    }
  }

  #keep(files: readonly KeptFile[]): void {
    for (const file of files) {
      if (this.#kept.length < MAX_KEPT_FILES) this.#kept.push(file);
      else if (this.#choices.chance(0.3)) this.#kept[this.#choices.below(MAX_KEPT_FILES)] = file;
    }
  }

  #backUp(): void {
    const folder = this.#backup?.folder ?? this.#newFolder();
    copyFileSync(join(this.#dataDir, 'memory.db'), join(folder, 'memory.db'));
    this.#backup = { folder, worlds: this.#worlds.map(copyOf) };
  }

  get #running(): SqliteStore {
    if (!this.#store) throw new Error('no store is open');
    return this.#store;
  }

  async #open(): Promise<void> {
    this.#asked.clear();
    this.#store = await openSqliteStore({
      dataDir: this.#dataDir,
      indexFileRows: 1,
      smallIndexRows: SMALL_ROWS,
      indexBytes: this.#choices.pick(BUDGETS),
      // With such a short log, another thread copies it all the time.
      logPages: this.#choices.chance(0.1) ? 20 : undefined,
      now: () => this.#now,
      ...(this.#choices.chance(0.7) && { scanThreads: this.#threads.threads }),
    });
  }

  /** @param lateWrites writes during the close, which the store accepts or rejects */
  async #close(lateWrites = 0): Promise<void> {
    const closing = this.#running[Symbol.asyncDispose]();
    const late = Array.from({ length: lateWrites }, () => this.#write());
    const refused = (await Promise.allSettled(late)).filter((result) => result.status === 'rejected');
    for (const { reason } of refused) if (!(reason instanceof StoreUnavailableError)) throw reason;
    await closing;
    this.#store = undefined;
  }

  #moveTo(dataDir: string): void {
    rmSync(this.#dataDir, { recursive: true });
    this.#dataDir = dataDir;
  }

  #newFolder(): string {
    this.#folders += 1;
    const folder = join(this.#folder, String(this.#folders));
    mkdirSync(folder);
    return folder;
  }

  #count(kind: StepKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}

class OnPurposeError extends Error {
  override name = 'OnPurposeError';
}
