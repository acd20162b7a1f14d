import type { ClientSession } from 'mongodb';
import { OrganizationGoneError } from '../../../ports/store-errors.js';
import type { Collections, OrganizationDocument } from './collections.js';
import { OutdatedReadError } from './errors.js';
import { NEXT_REVISION, OrganizationState } from './organization-state.js';
import { WRITE_TIMEOUT_MS } from './read-options.js';
import { type PlannedWrites, planned, type UnitWriter } from './unit-writer.js';

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
  readonly #writer: UnitWriter;
  #state: OrganizationState | undefined;
  #isHeld = false;
  #isDeleted = false;

  constructor({ organizations }: Organizations, id: string, session: ClientSession, writer: UnitWriter) {
    this.#organizations = organizations;
    this.id = id;
    this.#session = session;
    this.#writer = writer;
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
    const options = { session, maxTimeMS: WRITE_TIMEOUT_MS };
    const held = await this.#organizations.findOneAndUpdate(which, { $inc: NEXT_REVISION }, options);
    if (!held && this.#state) throw new OutdatedReadError();
    if (!held) throw new OrganizationGoneError(this.id);
    this.#state ??= new OrganizationState(held);
    this.#isHeld = true;
    return session;
  }

  /** Records that the unit deleted the organization, so there is no state to write. */
  deleted(): void {
    this.#isDeleted = true;
  }

  /** Returns the write of the state. It locks the organization if that is not locked. */
  async planned(): Promise<PlannedWrites> {
    const { fields, revision, isChanged } = await this.state();
    if (this.#isHeld) {
      return planned(
        this.#organizations,
        isChanged && !this.#isDeleted ? [{ updateOne: { filter: { _id: this.id }, update: { $set: fields } } }] : [],
      );
    }
    const update = { $set: fields, $inc: NEXT_REVISION };
    return planned(this.#organizations, [{ updateOne: { filter: { _id: this.id, revision }, update } }]);
  }

  /**
   * Writes the state together with the other writes of the unit, which are rolled back if the organization has changed.
   *
   * @throws {OutdatedReadError}
   */
  async save(writes: readonly PlannedWrites[]): Promise<void> {
    const isFound = await this.#writer.write(this.#session, [await this.planned(), ...writes]);
    if (isFound) {
      this.#isHeld = true;
      return;
    }
    if (this.#isHeld) throw new Error('A document was removed while its unit held the organization');
    throw new OutdatedReadError();
  }

  /** Writes with the organization locked. */
  async write(...writes: PlannedWrites[]): Promise<void> {
    if (writes.every(({ models }) => models.length === 0)) return;
    const isFound = await this.#writer.write(await this.session(), writes);
    if (!isFound) throw new Error('A document was removed while its unit held the organization');
  }
}
