import type { ClientSession } from 'mongodb';
import type { Microseconds } from '../../domain/memory.js';
import type { OrganizationSettings } from '../../domain/organization.js';
import type { Collections } from './collections.js';

/** What a unit changes of the counts of its organization. */
export interface CountChange {
  active?: number;
  deleted?: number;
  words?: number;
}

/**
 * The document of an organization while a unit of work holds it. Nobody else
 * can write to it meanwhile, so it is read once and written once.
 */
export class OrganizationState {
  readonly id: string;
  settings: OrganizationSettings;
  /** createdAt of the memory stored last. */
  newest: Microseconds;
  readonly counts: { active: number; deleted: number; words: number };
  #clock: Microseconds;

  private constructor(
    id: string,
    state: { settings: OrganizationSettings; newest: number; clock: number; counts: OrganizationState['counts'] },
  ) {
    this.id = id;
    this.settings = state.settings;
    this.newest = state.newest;
    this.#clock = state.clock;
    this.counts = state.counts;
  }

  /**
   * Takes hold of an organization until the transaction ends: a transaction
   * that comes second fails as transient, and is run again.
   *
   * @throws {Error} where there is no such organization
   */
  static async hold(
    { organizations }: Pick<Collections, 'organizations'>,
    id: string,
    session: ClientSession,
  ): Promise<OrganizationState> {
    const held = await organizations.findOneAndUpdate({ _id: id }, { $inc: { revision: 1 } }, { session });
    if (!held) throw new Error(`There is no organization ${id}`);
    const { settings, newest, clock, active, deleted, words } = held;
    return new OrganizationState(id, { settings, newest, clock, counts: { active, deleted, words } });
  }

  tick(now: Microseconds): Microseconds {
    this.#clock = Math.max(now, this.#clock + 1);
    return this.#clock;
  }

  count({ active = 0, deleted = 0, words = 0 }: CountChange): void {
    this.counts.active += active;
    this.counts.deleted += deleted;
    this.counts.words += words;
  }

  async save({ organizations }: Pick<Collections, 'organizations'>, session: ClientSession): Promise<void> {
    const state = { settings: this.settings, clock: this.#clock, newest: this.newest, ...this.counts };
    await organizations.updateOne({ _id: this.id }, { $set: state }, { session });
  }
}
