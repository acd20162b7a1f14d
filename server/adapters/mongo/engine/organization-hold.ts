import type { ClientSession } from 'mongodb';
import type { Collections, OrganizationDocument } from './collections.js';
import { OutdatedReadError } from './errors.js';
import { OrganizationState } from './organization-state.js';

type Organizations = Pick<Collections, 'organizations'>;

/**
 * The organization of a unit of work, and the lock of its writes, which is a
 * write to its document in the unit's transaction. A unit that was told what
 * it will be asked for reads that before, and takes the lock with the first of
 * its writes: if another unit came between, the number of units so far is
 * another one, and the unit runs again. Every other unit takes the lock before
 * it reads anything.
 */
export class OrganizationHold {
  readonly id: string;
  readonly #organizations: Organizations['organizations'];
  readonly #session: ClientSession;
  #state: OrganizationState | undefined;
  #isHeld = false;

  constructor({ organizations }: Organizations, id: string, session: ClientSession) {
    this.#organizations = organizations;
    this.id = id;
    this.#session = session;
  }

  /** Whether the unit goes on from a state that it has read. */
  get isRead(): boolean {
    return this.#state !== undefined;
  }

  /** Whether the state is another one than the one that was read. */
  get isChanged(): boolean {
    return this.#state?.isChanged ?? false;
  }

  /** Goes on from what was read outside of the transaction. @throws {OutdatedReadError} */
  learn(document: OrganizationDocument | undefined): void {
    if (!document) throw new Error(`There is no organization ${this.id}`);
    this.#state ??= new OrganizationState(document);
    if (this.#state.revision !== document.revision) throw new OutdatedReadError();
  }

  /** The state that the unit goes on from. @throws {OutdatedReadError} */
  async state(): Promise<OrganizationState> {
    if (this.#state) return this.#state;
    await this.session();
    return this.state();
  }

  /**
   * The transaction, with the organization held from here on: a transaction
   * that comes second fails as transient, and is run again.
   *
   * @throws {OutdatedReadError}
   * @throws {Error} where there is no such organization
   */
  async session(): Promise<ClientSession> {
    if (this.#isHeld) return this.#session;
    const which = { _id: this.id, ...(this.#state && { revision: this.#state.revision }) };
    const session = this.#session;
    const held = await this.#organizations.findOneAndUpdate(which, { $inc: { revision: 1 } }, { session });
    if (!held && this.#state) throw new OutdatedReadError();
    if (!held) throw new Error(`There is no organization ${this.id}`);
    this.#state ??= new OrganizationState(held);
    this.#isHeld = true;
    return session;
  }

  /** Writes the state, and takes hold with that where nothing was written yet. @throws {OutdatedReadError} */
  async save(): Promise<ClientSession> {
    const state = await this.state();
    const session = this.#session;
    if (this.#isHeld) {
      if (state.isChanged) await this.#organizations.updateOne({ _id: this.id }, { $set: state.fields }, { session });
      return session;
    }
    const { fields, revision } = state;
    const first = { _id: this.id, revision };
    const change = { $set: fields, $inc: { revision: 1 } };
    const { matchedCount } = await this.#organizations.updateOne(first, change, { session });
    if (matchedCount === 0) throw new OutdatedReadError();
    this.#isHeld = true;
    return session;
  }
}
