import { setImmediate } from 'node:timers/promises';
import { BOUNDS } from '../../../domain/fairness/bounds.js';
import { eventLoop } from '../../../domain/fairness/event-loop.js';
import type { Owner } from '../../../domain/fairness/owner.js';
import type { ResourceUse } from '../../../domain/fairness/shared-resource.js';
import { WaitingLine } from '../../../domain/fairness/waiting-line.js';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import type { Connection } from './connection.js';
import type { Yielder } from './yielder.js';

/** Takes part in a commit besides the units themselves. */
export interface CommitParticipant {
  /** Resolves when a transaction may begin. If it rejects, the waiting units are rejected. */
  beforeGroup(): Promise<void>;
  /** Called when the unit that just ran stays in the transaction. */
  unitKept(): void;
  /** Called when the unit that just ran was rolled back. */
  unitDropped(error: unknown): void;
  /** Called before the commit. May still write into the transaction. */
  beforeCommit(): Promise<void>;
  committed(): void;
  /** Called when nothing of the group was stored. */
  abandoned(error: unknown): void;
}

/** The owner of a unit: a tenant, whose unit may be rejected, or a part of the service, which gets turns like a tenant. */
export type UnitOwner = Owner & { kind: 'tenant' | 'service' };

/** Runs statements of an organization in a unit of their own, with the writing connection. */
export type WriteAlone = <T>(organizationId: string, work: (writer: Connection) => T) => Promise<T>;

const STORE: UnitOwner = { kind: 'service', id: 'store' };

interface Waiting {
  work: () => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** An answer that waits for its commit. */
interface Pending {
  settle: () => void;
  reject: (error: unknown) => void;
}

const MAX_GROUP = BOUNDS.writes.capacity;
/** Time after which a group begins no more units and commits, so that its callers get their answers. */
const MAX_GROUP_MS = 20;
/** Maximum time that a group waits for more units. It also never waits longer than a commit takes. */
const MAX_WAIT_MS = 2;

/**
 * Runs units of work one after the other and commits them in groups.
 *
 * The units that wait when the writer becomes free share one transaction and
 * so one fsync. Each fails alone: a savepoint begins each but the first. Each gets its answer
 * after the commit, whether it succeeded or failed. Owners take turns: the
 * units of one tenant run in order. However many of them wait, a unit of
 * another tenant is among the next.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #participant: CommitParticipant;
  readonly #yielder: Yielder;
  readonly #line = new WaitingLine<Waiting>('writes', BOUNDS.writes);
  /** Work that runs before the next transaction begins. */
  readonly #between: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  /** Number of units expected in the next group, estimated from the sizes of the last ones. */
  #expected = 0;
  #lastCommitMs = 0;
  /** Number of units in the group that is not committed yet. */
  #inGroup = 0;

  /** Number of commits since the start. */
  commits = 0;

  constructor(connection: Connection, participant: CommitParticipant, yielder: Yielder) {
    this.#connection = connection;
    this.#participant = participant;
    this.#yielder = yielder;
  }

  /** The name in metrics. */
  readonly name = 'writes';

  get use(): ResourceUse {
    const { waiting, refused } = this.#line;
    return { inUse: this.#inGroup, waiting, refused };
  }

  /**
   * Runs `work` in a transaction, and resolves with its result once that is durable.
   *
   * @throws {ShareExceededError} if too many units of the tenant or of all tenants wait, or the unit gets no turn in time.
   *   Then `work` was not called
   */
  run<T>(work: () => Promise<T>, owner: UnitOwner = STORE): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('The store is closed'));
    return new Promise<T>((resolve, reject) => {
      const unit: Waiting = { work, resolve: resolve as Waiting['resolve'], reject };
      if (owner.kind === 'tenant') this.#line.add([owner], unit, () => ({ by: 'capacity', limit: MAX_GROUP }));
      else this.#line.push([owner], unit);
      this.#running ??= this.#drain();
    });
  }

  /** Runs `work` while no transaction is open. Units wait until it ends. They run before the next such work. */
  between<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('The store is closed'));
    return new Promise<T>((resolve, reject) => {
      this.#between.push(() => work().then(resolve, reject));
      this.#running ??= this.#drain();
    });
  }

  /** Rejects new units, and resolves when all accepted units are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    // Requests that arrive together are handled in one turn of the event loop.
    // Starting in the next turn puts their units into one group.
    await eventLoop.nextTurn();
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
      const until = performance.now() + MAX_GROUP_MS;
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
    try {
      this.#participant.committed();
      // The answers of a large group take time too.
      await this.#yielder.rest();
    } finally {
      for (const { settle } of pending) settle();
    }
  }

  async #runWaiting(pending: Pending[], until: number): Promise<void> {
    while (pending.length < MAX_GROUP && performance.now() < until) {
      const unit = this.#line.shift();
      if (!unit) return;
      this.#inGroup = pending.length + 1;
      await this.#runUnit(unit, pending);
      await this.#yielder.breathe();
    }
  }

  /**
   * Waits for the next units of the callers that the last commit answered, until
   * the group is as large as the previous ones. It waits no longer than the
   * commit that it saves takes. A unit that came alone waits for nothing.
   */
  async #waitForMore(pending: Pending[], until: number): Promise<void> {
    if (this.#expected <= 1) return;
    const waitUntil = Math.min(until, performance.now() + Math.min(MAX_WAIT_MS, this.#lastCommitMs));
    do {
      await setImmediate();
      await this.#runWaiting(pending, until);
    } while (pending.length < this.#expected && performance.now() < waitUntil);
  }

  #commit(): void {
    const from = performance.now();
    this.#connection.run('COMMIT');
    this.#lastCommitMs = performance.now() - from;
  }

  async #runUnit({ work, resolve, reject }: Waiting, pending: Pending[]): Promise<void> {
    // A savepoint copies each page that the unit changes. Before the first unit, the transaction has nothing to keep.
    const isFirst = pending.length === 0;
    if (!isFirst) this.#connection.run('SAVEPOINT unit');
    try {
      const result = await work();
      if (!isFirst) this.#connection.run('RELEASE unit');
      this.#participant.unitKept();
      pending.push({ settle: () => resolve(result), reject });
    } catch (error) {
      this.#participant.unitDropped(error);
      // A full disk or a failed write can roll back the whole transaction, including the units before this one.
      if (!this.#connection.isTransaction) {
        reject(error);
        throw error;
      }
      try {
        for (const sql of isFirst ? ['ROLLBACK', 'BEGIN IMMEDIATE'] : ['ROLLBACK TO unit', 'RELEASE unit'])
          this.#connection.run(sql);
      } catch (fault) {
        reject(error);
        throw fault;
      }
      // The failure may depend on an earlier unit of the group, which is not visible before the commit.
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
    // No transaction could begin, so the waiting units would fail in the same way.
    while (pending.length === 0 && this.#line.waiting > 0) this.#line.shift()?.reject(error);
  }

  #rollBack(): void {
    if (!this.#connection.isTransaction) return;
    try {
      this.#connection.run('ROLLBACK');
    } catch {
      // If the engine cannot execute ROLLBACK, it has rolled back by itself.
    }
  }
}
