import type { OrganizationSettings } from '../../../domain/account/organization.js';
import { earlierExpiry } from '../../../domain/memory/expiry.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { OrganizationDocument } from './collections.js';

/** The change that a unit makes to the counts of its organization. */
interface CountChange {
  active?: number;
  deleted?: number;
  words?: number;
  bytes?: number;
}

/** The state of an organization, kept up to date with the changes of a unit of work. */
export class OrganizationState {
  readonly id: string;
  /** Number of units of work before this one. */
  readonly revision: number;
  settings: OrganizationSettings;
  /** The latest createdAt of a memory. */
  newest: Microseconds;
  readonly #counts: { active: number; deleted: number; words: number; bytes: number };
  readonly #before: string;
  #clock: Microseconds;

  constructor({ _id, revision, settings, newest, clock, active, deleted, words, bytes }: OrganizationDocument) {
    this.id = _id;
    this.revision = revision;
    this.settings = settings;
    this.newest = newest;
    this.#clock = clock;
    this.#counts = { active, deleted, words, bytes };
    this.#before = JSON.stringify(this.fields);
  }

  /** The fields that a unit may change. */
  get fields() {
    return { settings: this.settings, clock: this.#clock, newest: this.newest, ...this.#counts };
  }

  get isChanged(): boolean {
    return JSON.stringify(this.fields) !== this.#before;
  }

  tick(now: Microseconds): Microseconds {
    this.#clock = Math.max(now, this.#clock + 1);
    return this.#clock;
  }

  /** The sum of `bytesOf` of the active memories. */
  get bytes(): number {
    return this.#counts.bytes;
  }

  /** Lowers `nextExpiry` of the settings to the expiry of a memory, if that is earlier. */
  expect(memory: Pick<Memory, 'deletedAt' | 'expiresAt'>): void {
    const nextExpiry = earlierExpiry(this.settings.nextExpiry, memory);
    if (nextExpiry !== undefined) this.settings = { ...this.settings, nextExpiry };
  }

  advance(to: Microseconds): boolean {
    if (to <= this.#clock) return false;
    this.#clock = to;
    return true;
  }

  count({ active = 0, deleted = 0, words = 0, bytes = 0 }: CountChange): void {
    this.#counts.active += active;
    this.#counts.deleted += deleted;
    this.#counts.words += words;
    this.#counts.bytes += bytes;
  }
}
