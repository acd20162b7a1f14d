import type { OrganizationSettings } from '../../../domain/account/organization.js';
import { earlierExpiry } from '../../../domain/memory/expiry.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { OrganizationDocument } from './collections.js';
import { otherSlot, searchedSlot, type VectorSlot } from './vectors.js';

/** The change that a unit makes to the counts of its organization. */
interface CountChange {
  active?: number;
  deleted?: number;
  words?: number;
  bytes?: number;
}

/** `facetsTo` of an organization whose facets are all counted. */
export const ALL_FACETS: Microseconds = Number.MAX_SAFE_INTEGER;
/** `facetsTo` of an organization whose facets are not counted. */
export const NO_FACETS: Microseconds = Number.MIN_SAFE_INTEGER;

/** Increments that every unit of work makes. They differ after a write of a server that does not count facets. */
export const NEXT_REVISION = { revision: 1, facetRevision: 1 } as const;

type FacetState = Pick<OrganizationDocument, 'revision' | 'facetRevision' | 'facetsTo'>;

/** Reports if every unit of work has kept the counts of facets since `facetsTo` was first set. */
export function areFacetsTracked({ revision, facetRevision, facetsTo }: FacetState): boolean {
  return revision === facetRevision && facetsTo !== undefined;
}

/** Returns until which time of creation the facets of memories are counted. */
export function facetsTo(state: FacetState): Microseconds {
  return areFacetsTracked(state) ? (state.facetsTo ?? NO_FACETS) : NO_FACETS;
}

/** The state of an organization, kept up to date with the changes of a unit of work. */
export class OrganizationState {
  readonly id: string;
  /** Number of units of work before this one. */
  readonly revision: number;
  /** The facets of memories created until then are counted. */
  readonly facetsTo: Microseconds;
  #settings: OrganizationSettings;
  #vectorSlot: OrganizationDocument['vectorSlot'];
  /** The latest createdAt of a memory. */
  newest: Microseconds;
  readonly #counts: { active: number; deleted: number; words: number; bytes: number };
  readonly #before: string;
  #clock: Microseconds;

  constructor(document: OrganizationDocument) {
    const { _id, revision, settings, vectorSlot, newest, clock, active, deleted, words, bytes } = document;
    this.id = _id;
    this.revision = revision;
    this.facetsTo = facetsTo(document);
    this.#settings = settings;
    this.#vectorSlot = vectorSlot;
    this.newest = newest;
    this.#clock = clock;
    this.#counts = { active, deleted, words, bytes };
    this.#before = JSON.stringify(this.fields);
  }

  /** The fields that a unit may change. */
  get fields() {
    const slot = this.#vectorSlot && { vectorSlot: this.#vectorSlot };
    return { settings: this.settings, ...slot, clock: this.#clock, newest: this.newest, ...this.#counts };
  }

  get settings(): OrganizationSettings {
    return this.#settings;
  }

  set settings(settings: OrganizationSettings) {
    const { embeddingFingerprint, pendingFingerprint } = this.#settings;
    const isSwitch = settings.embeddingFingerprint !== embeddingFingerprint;
    if (isSwitch && settings.embeddingFingerprint === pendingFingerprint) this.#vectorSlot = this.otherSlot.name;
    this.#settings = settings;
  }

  /** The slot of the vectors that searches compare. */
  get searchedSlot(): VectorSlot {
    return searchedSlot(this.#vectorSlot === undefined ? {} : { vectorSlot: this.#vectorSlot });
  }

  /** The slot of the pending and of the former vectors. */
  get otherSlot(): VectorSlot {
    return otherSlot(this.searchedSlot);
  }

  /** The number of memories, deleted or not. */
  get memories(): number {
    return this.#counts.active + this.#counts.deleted;
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
