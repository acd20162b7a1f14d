import type { ClientSession } from 'mongodb';
import { OrganizationGoneError } from '../../../ports/store-errors.js';
import type { Collections, OrganizationDocument } from './collections.js';
import { OutdatedReadError } from './errors.js';
import { OrganizationState } from './organization-state.js';

type Organizations = Pick<Collections, 'organizations'>;

/**
 * The organization of a unit of work and its write lock, which is a write to the organization's document in the unit's
 * transaction.
 *
 * A unit that declared what it expects reads that first, and locks with its first write. If another unit wrote in
 * between, `revision` has changed, and the unit is retried. Every other unit locks before it reads.
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

  /** True if the unit has read the state. */
  get isRead(): boolean {
    return this.#state !== undefined;
  }

  /** True if the unit has changed the state. */
  get isChanged(): boolean {
    return this.#state?.isChanged ?? false;
  }

  /** Sets the state that was read outside of the transaction. @throws {OutdatedReadError} */
  learn(document: OrganizationDocument | undefined): void {
    if (!document) throw new OrganizationGoneError(this.id);
    this.#state ??= new OrganizationState(document);
    if (this.#state.revision !== document.revision) throw new OutdatedReadError();
  }

  /** Returns the state, and reads it if necessary. @throws {OutdatedReadError} */
  async state(): Promise<OrganizationState> {
    if (this.#state) return this.#state;
    await this.session();
    return this.state();
  }

  /**
   * Returns the session and locks the organization. A second transaction that locks it fails as transient and is
   * retried.
   *
   * @throws {OutdatedReadError}
   * @throws {OrganizationGoneError} if the organization does not exist
   */
  async session(): Promise<ClientSession> {
    if (this.#isHeld) return this.#session;
    const which = { _id: this.id, ...(this.#state && { revision: this.#state.revision }) };
    const session = this.#session;
    const held = await this.#organizations.findOneAndUpdate(which, { $inc: { revision: 1 } }, { session });
    if (!held && this.#state) throw new OutdatedReadError();
    if (!held) throw new OrganizationGoneError(this.id);
    this.#state ??= new OrganizationState(held);
    this.#isHeld = true;
    return session;
  }

  /** Writes the state, and thereby locks the organization if it is not locked. @throws {OutdatedReadError} */
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
