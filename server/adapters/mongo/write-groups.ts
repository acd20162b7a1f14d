import type { ClientSession } from 'mongodb';
import { BOUNDS } from '../../domain/fairness/bounds.js';
import type { Owner } from '../../domain/fairness/owner.js';
import type { ResourceUse } from '../../domain/fairness/shared-resource.js';
import { WaitingLine } from '../../domain/fairness/waiting-line.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { OrganizationGoneError, StoreUnavailableError } from '../../ports/store-errors.js';
import type { Expected, UnitOfWork } from '../../ports/unit-of-work.js';
import type { Collections } from './engine/collections.js';
import { OrganizationHold } from './engine/organization-hold.js';
import type { Transactions } from './engine/transactions.js';
import type { UnitWriter } from './engine/unit-writer.js';
import { canShare, isEmpty, merged, Turn } from './group-turns.js';
import { GroupWrites } from './group-writes.js';
import { MongoUnitOfWork } from './unit-of-work.js';

/** The dependencies of all units of a store. */
export interface UnitContext {
  collections: Collections;
  writer: UnitWriter;
  transactions: Transactions;
  now: () => Microseconds;
  /** Called for each unit after its commit. */
  onCommitted: (unit: MongoUnitOfWork) => void;
}

interface Waiting {
  work: (unit: UnitOfWork) => Promise<unknown>;
  /** When the write was queued, by `performance.now`. */
  since: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** The state of a transaction. */
interface Course {
  /** Number of units of the group that share the transaction. */
  shared: number;
  /** The unit that is running. */
  running: Waiting | undefined;
}

/** A unit and its result, which the caller gets after the commit. */
interface Done {
  unit: MongoUnitOfWork;
  result: unknown;
}

const MAX_GROUP = BOUNDS.writes.capacity;

/**
 * Runs units of work. Those of one organization in one process wait for each other here, since in the database they
 * would conflict. The units that wait meanwhile share the next transaction, if they declared their reads.
 *
 * Each unit fails alone: if one of a group fails, nothing is stored, and the others run again without it.
 */
export class WriteGroups {
  /** The name in metrics. */
  readonly name = 'writes';
  readonly #context: UnitContext;
  readonly #line = new WaitingLine<Waiting>('writes', BOUNDS.writes);
  /** Organizations with a running transaction. */
  readonly #running = new Set<string>();
  #inGroups = 0;

  constructor(context: UnitContext) {
    this.#context = context;
  }

  get use(): ResourceUse {
    const { waiting, refused } = this.#line;
    return { inUse: this.#inGroups, waiting, refused };
  }

  /** @throws {ShareExceededError} if too many units wait, or the unit gets no turn in time */
  run<T>(organizationId: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const unit: Waiting = { work, since: performance.now(), resolve: resolve as Waiting['resolve'], reject };
      this.#line.add([ownerOf(organizationId)], unit, () => ({ by: 'tenant', limit: 1 }));
      if (!this.#running.has(organizationId)) void this.#drain(organizationId);
    });
  }

  async #drain(organizationId: string): Promise<void> {
    this.#running.add(organizationId);
    const owner = ownerOf(organizationId);
    for (;;) {
      const group = this.#line.take(owner, MAX_GROUP);
      if (group.length === 0) break;
      this.#inGroups += group.length;
      await this.#runAll(organizationId, group);
    }
    this.#running.delete(organizationId);
  }

  /** Settles every unit of a group, in one transaction if possible. */
  async #runAll(organizationId: string, group: readonly Waiting[]): Promise<void> {
    let left = group;
    while (left.length > 0) left = await this.#runSome(organizationId, left);
  }

  /** Settles the first units of a group, and returns those that must run in another transaction. */
  async #runSome(organizationId: string, group: readonly Waiting[]): Promise<readonly Waiting[]> {
    const course: Course = { shared: 1, running: undefined };
    let done: Done[];
    try {
      done = await this.#context.transactions.write(
        (session, attempt) => this.#attempt(organizationId, group, { session, attempt, course }),
        group[0]?.since,
      );
    } catch (error) {
      await this.#fail(organizationId, group.slice(0, course.shared), course, error);
      return group.slice(course.shared);
    }
    for (const [at, { unit, result }] of done.entries()) {
      this.#context.onCommitted(unit);
      this.#inGroups -= 1;
      group[at]?.resolve(result);
    }
    return group.slice(done.length);
  }

  /** Settles the units of a transaction that failed. */
  async #fail(organizationId: string, group: readonly Waiting[], { running }: Course, error: unknown): Promise<void> {
    const isOfAll = error instanceof StoreUnavailableError || error instanceof OrganizationGoneError;
    if (group.length === 1 || isOfAll) {
      this.#inGroups -= group.length;
      for (const { reject } of group) reject(error);
      return;
    }
    // A unit that failed beside others runs alone, because its failure may depend on writes that were not stored.
    const alone = running ? [running] : group;
    for (const waiting of alone) await this.#runSome(organizationId, [waiting]);
    await this.#runAll(
      organizationId,
      group.filter((waiting) => !alone.includes(waiting)),
    );
  }

  async #attempt(
    organizationId: string,
    group: readonly Waiting[],
    { session, attempt, course }: { session: ClientSession; attempt: number; course: Course },
  ): Promise<Done[]> {
    const { collections, writer, now } = this.#context;
    const writes = new GroupWrites(collections, new OrganizationHold(collections, organizationId, session, writer));
    course.running = undefined;
    const members: Member[] = [];
    try {
      const declared: Expected[] = [];
      for (const waiting of group) {
        const member = begin(waiting, writes, now);
        members.push(member);
        const expected = await member.turn.arrival;
        if (!expected || !canShare([...declared, expected])) break;
        declared.push(expected);
      }
      course.shared = Math.max(1, declared.length);
      const all = merged(declared);
      if (!isEmpty(all)) await writes.foresee(all, { locksFirst: attempt > 1 });
      const done: Done[] = [];
      for (const { waiting, turn, unit, running } of members.slice(0, course.shared)) {
        turn.begin();
        course.running = waiting;
        done.push({ unit, result: await running() });
        course.running = undefined;
        unit.end();
        if (!unit.accounts.isDeleted) continue;
        writes.hold.deleted();
        break;
      }
      await writes.flush();
      return done;
    } finally {
      for (const { unit, turn } of members) {
        unit.end();
        turn.cancel();
      }
    }
  }
}

/** A unit whose work has begun. */
interface Member {
  waiting: Waiting;
  turn: Turn;
  unit: MongoUnitOfWork;
  /** Waits for the result of the work. */
  running: () => Promise<unknown>;
}

/** Starts a work up to its first call. */
function begin(waiting: Waiting, writes: GroupWrites, now: () => Microseconds): Member {
  const turn = new Turn();
  const unit = new MongoUnitOfWork(writes, turn, now);
  const running = waiting.work(unit);
  // A work that settles without any call has nothing to read.
  const arrive = () => void turn.declare({}).catch(() => {});
  running.then(arrive, arrive);
  return { waiting, turn, unit, running: () => running };
}

function ownerOf(organizationId: string): Owner {
  return { kind: 'tenant', id: organizationId };
}
