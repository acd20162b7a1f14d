import { setImmediate } from 'node:timers/promises';
import { BOUNDS } from '../../../domain/fairness/bounds.js';
import type { Owner } from '../../../domain/fairness/owner.js';
import type { ResourceUse } from '../../../domain/fairness/shared-resource.js';
import { WaitingLine } from '../../../domain/fairness/waiting-line.js';
import { StoreUnavailableError } from '../../../ports/store.js';
import type { Connection } from './connection.js';
import type { Yielder } from './yielder.js';

/** What takes part in a commit besides the units themselves. */
export interface CommitParticipant {
  /** Resolves when a transaction may begin; where it rejects, the units that wait are refused. */
  beforeGroup(): Promise<void>;
  /** The unit that just ran stays in the transaction. */
  unitKept(): void;
  /** The unit that just ran was rolled back. */
  unitDropped(error: unknown): void;
  /** Last chance to write into the transaction. */
  beforeCommit(): Promise<void>;
  committed(): void;
  /** Nothing of the group was stored. */
  abandoned(error: unknown): void;
}

/** Whose unit it is: a tenant's, which may be refused, or a part of the service, which takes its turn like a tenant. */
export type UnitOwner = Owner & { kind: 'tenant' | 'service' };

const STORE: UnitOwner = { kind: 'service', id: 'store' };

interface Waiting {
  work: () => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** An answer that waits for the commit it is part of. */
interface Pending {
  settle: () => void;
  reject: (error: unknown) => void;
}

const LARGEST_GROUP = BOUNDS.writes.capacity;
/** A group that has taken so long is committed: those who wait for it have waited long enough. */
const LONGEST_GROUP_MS = 20;
/** How long a group waits for more units, where a commit takes as long. */
const LONGEST_WAIT_MS = 2;

/**
 * Runs units of work one after the other and commits them in groups.
 *
 * The units that wait when the writer gets free share one transaction and so
 * one fsync; each has a savepoint, fails alone, and is answered after the
 * commit, whether it succeeded or failed. Owners take turns: a tenant's units
 * run in the order in which they came, and however many wait, another's
 * unit is one of the next.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #participant: CommitParticipant;
  readonly #yielder: Yielder;
  readonly #line = new WaitingLine<Waiting>('writes', BOUNDS.writes);
  /** What runs before the next transaction begins. */
  readonly #between: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  /** Units that the next group may hope for, by the size of the last ones. */
  #expected = 0;
  #lastCommitMs = 0;
  /** Units of the group that is not committed yet. */
  #inGroup = 0;

  /** Commits since the start. */
  commits = 0;

  constructor(connection: Connection, participant: CommitParticipant, yielder: Yielder) {
    this.#connection = connection;
    this.#participant = participant;
    this.#yielder = yielder;
  }

  /** As metrics name it. */
  readonly name = 'writes';

  get use(): ResourceUse {
    const { waiting, refused } = this.#line;
    return { inUse: this.#inGroup, waiting, refused };
  }

  /**
   * Resolves with what `work` returned once that is durable.
   *
   * @throws {ShareExceededError} when too many units of the tenant wait, or of all tenants, or none of them has its turn
   *   in time. Nothing of the unit has run then
   */
  run<T>(work: () => Promise<T>, owner: UnitOwner = STORE): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('The store is closed'));
    return new Promise<T>((resolve, reject) => {
      const unit: Waiting = { work, resolve: resolve as Waiting['resolve'], reject };
      if (owner.kind === 'tenant') this.#line.add([owner], unit, () => ({ by: 'capacity', limit: LARGEST_GROUP }));
      else this.#line.push([owner], unit);
      this.#running ??= this.#drain();
    });
  }

  /** Runs `work` while no transaction is open. Units wait until it has ended, and have their turn before the next one. */
  between<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('The store is closed'));
    return new Promise<T>((resolve, reject) => {
      this.#between.push(() => work().then(resolve, reject));
      this.#running ??= this.#drain();
    });
  }

  /** Takes no more units and resolves when the ones taken are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    // Requests that arrived together are handled in one turn of the event
    // loop: starting in the next one finds all of them waiting.
    await setImmediate();
    this.#yielder.begin();
    try {
      while (this.#line.waiting + this.#between.length > 0) {
        await this.#between.shift()?.();
        if (this.#line.waiting > 0) await this.#commitGroup();
      }
    } finally {
      this.#running = undefined;
      this.#inGroup = 0;
    }
  }

  async #commitGroup(): Promise<void> {
    const pending: Pending[] = [];
    try {
      await this.#participant.beforeGroup();
      const until = performance.now() + LONGEST_GROUP_MS;
      this.#connection.run('BEGIN IMMEDIATE');
      await this.#runWaiting(pending, until);
      await this.#waitForMore(pending, until);
      await this.#participant.beforeCommit();
      this.#commit();
    } catch (error) {
      this.#abandon(pending, error);
      return;
    }
    this.commits += 1;
    this.#expected = Math.max(pending.length, Math.floor((this.#expected + pending.length) / 2));
    // Nobody sees an answer before this turn of the event loop ends, and with it what follows a commit.
    for (const { settle } of pending) settle();
    this.#participant.committed();
  }

  async #runWaiting(pending: Pending[], until: number): Promise<void> {
    while (pending.length < LARGEST_GROUP && performance.now() < until) {
      const unit = this.#line.shift();
      if (!unit) return;
      this.#inGroup = pending.length + 1;
      await this.#runUnit(unit, pending);
      await this.#yielder.breathe();
    }
  }

  /**
   * Runs the units that come while those who were answered by the last commit
   * send their next: as many as came before, unless that takes longer than the
   * commit that it saves. Alone there is nothing to wait for.
   */
  async #waitForMore(pending: Pending[], until: number): Promise<void> {
    if (this.#expected <= 1) return;
    const waitUntil = Math.min(until, performance.now() + Math.min(LONGEST_WAIT_MS, this.#lastCommitMs));
    do {
      await setImmediate();
      this.#yielder.begin();
      await this.#runWaiting(pending, until);
    } while (pending.length < this.#expected && performance.now() < waitUntil);
  }

  #commit(): void {
    const from = performance.now();
    this.#connection.run('COMMIT');
    this.#lastCommitMs = performance.now() - from;
  }

  async #runUnit({ work, resolve, reject }: Waiting, pending: Pending[]): Promise<void> {
    this.#connection.run('SAVEPOINT unit');
    try {
      const result = await work();
      this.#connection.run('RELEASE unit');
      this.#participant.unitKept();
      pending.push({ settle: () => resolve(result), reject });
    } catch (error) {
      this.#participant.unitDropped(error);
      // A full disk or a failed write can end the whole transaction, and with it the units before this one.
      if (!this.#connection.isTransaction) {
        reject(error);
        throw error;
      }
      this.#connection.run('ROLLBACK TO unit');
      this.#connection.run('RELEASE unit');
      // It may have failed because of a unit before it, which nobody can see before the commit.
      pending.push({ settle: () => reject(error), reject });
    }
  }

  #abandon(pending: readonly Pending[], cause: unknown): void {
    this.#participant.abandoned(cause);
    this.#rollBack();
    const error =
      cause instanceof StoreUnavailableError
        ? cause
        : new StoreUnavailableError('The store could not commit', { cause });
    for (const { reject } of pending) reject(error);
    // Where no transaction can begin, waiting on would only repeat that.
    while (pending.length === 0 && this.#line.waiting > 0) this.#line.shift()?.reject(error);
  }

  #rollBack(): void {
    if (!this.#connection.isTransaction) return;
    try {
      this.#connection.run('ROLLBACK');
    } catch {
      // The engine rolls back by itself when it can no longer do it on request.
    }
  }
}
