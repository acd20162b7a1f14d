import type { Collection, Document } from 'mongodb';
import type { MemoryDocument } from '../engine/collections.js';
import { MEMORY_FIELDS, type MemoryFields } from '../engine/memory-documents.js';
import type { ReadOptions } from '../engine/read-options.js';
import { fieldOf, fromEmbedding, similarityBetween } from '../engine/vectors.js';
import { isSameVersion, type RecentVectors, type Version } from './recent-vectors.js';
import type { Candidate, VectorScope } from './vector-search.js';

/** A memory that the search index may not know, in the version that a moment saw. */
type Changed = Version & Pick<MemoryDocument, 'createdAt'>;

/** What a search answers from, as it was at one time. */
interface Moment {
  /** Those asked for that are settled and match, by id. */
  settled: ReadonlyMap<string, MemoryFields>;
  /** All that match and are not settled. */
  changed: readonly Changed[];
}

const READ_AT_ONCE = 1_000;

/** Reads what a search by vector needs beside the search index. */
export class MomentReader {
  readonly #memories: Collection<MemoryDocument>;
  readonly #org: string;
  readonly #scope: VectorScope;
  readonly #recent: RecentVectors;
  readonly #options: ReadOptions;

  constructor(
    memories: Collection<MemoryDocument>,
    org: string,
    scope: VectorScope,
    { recent, options }: { recent: RecentVectors; options: ReadOptions },
  ) {
    this.#options = options;
    this.#memories = memories;
    this.#org = org;
    this.#scope = scope;
    this.#recent = recent;
  }

  /** Reads with one query, which sees what a majority has at one time. */
  async read(settledIds: readonly string[]): Promise<Moment> {
    const { filter, settledBefore } = this.#scope;
    const settled = { $and: [filter, { _id: { $in: [...settledIds] }, indexedAt: { $lt: settledBefore } }] };
    const changed = { $and: [filter, { indexedAt: { $gte: settledBefore } }] };
    const pipeline = [
      { $match: settled },
      { $project: { ...MEMORY_FIELDS, indexedAt: 1 } },
      {
        $unionWith: {
          coll: this.#memories.collectionName,
          // Of these, few are among the best: the others are not read whole.
          pipeline: [{ $match: changed }, { $project: { createdAt: 1, updatedAt: 1, indexedAt: 1 } }],
        },
      },
    ];
    const options = { readConcern: { level: 'snapshot' }, batchSize: READ_AT_ONCE, ...this.#options } as const;
    const found = await this.#memories.aggregate<MemoryFields & Changed>(pipeline, options).toArray();
    const still = found.filter(({ indexedAt }) => indexedAt < settledBefore);
    return {
      settled: new Map(still.map((document) => [document._id, document])),
      changed: found.filter(({ indexedAt }) => indexedAt >= settledBefore),
    };
  }

  /** How similar each of the changed ones was at that time; undefined where one of them has changed again. */
  async measure(changed: readonly Changed[]): Promise<Candidate[] | undefined> {
    const { vector } = this.#scope;
    const measured: Candidate[] = [];
    const unread: Changed[] = [];
    for (const memory of changed) {
      const stored = this.#recent.get(memory, vector.length);
      if (stored) measured.push(toCandidate(memory, similarityBetween(vector, stored)));
      else unread.push(memory);
    }
    for (let at = 0; at < unread.length; at += READ_AT_ONCE) {
      const read = await this.#measureUnread(unread.slice(at, at + READ_AT_ONCE));
      if (!read) return undefined;
      measured.push(...read);
    }
    return measured;
  }

  /** The whole of some changed ones; undefined where one of them has changed again. */
  async readWhole(changed: readonly Version[]): Promise<MemoryFields[] | undefined> {
    if (changed.length === 0) return [];
    const wanted = byId(changed);
    const projection = { ...MEMORY_FIELDS, indexedAt: 1 };
    const found = await this.#find(wanted, projection).toArray();
    const same = found.filter((document) => sameOf(wanted, document));
    return same.length === wanted.size ? same : undefined;
  }

  async #measureUnread(unread: readonly Changed[]): Promise<Candidate[] | undefined> {
    const { vector } = this.#scope;
    const wanted = byId(unread);
    const projection = { updatedAt: 1, indexedAt: 1, [`embedding.${fieldOf(vector.length)}`]: 1 };
    const measured: Candidate[] = [];
    let same = 0;
    for await (const document of this.#find(wanted, projection)) {
      const memory = sameOf(wanted, document);
      if (!memory) return undefined;
      same += 1;
      const stored = fromEmbedding(document.embedding, vector.length);
      if (!stored) continue;
      this.#recent.put(document, stored);
      measured.push(toCandidate(memory, similarityBetween(vector, stored)));
    }
    return same === wanted.size ? measured : undefined;
  }

  #find(wanted: ReadonlyMap<string, Version>, projection: Document) {
    const own = { org: this.#org, _id: { $in: [...wanted.keys()] } };
    return this.#memories.find(own, { projection, batchSize: READ_AT_ONCE, ...this.#options });
  }
}

function byId<Found extends Version>(versions: readonly Found[]): Map<string, Found> {
  return new Map(versions.map((version) => [version._id, version]));
}

/** The memory that a document is of, in the same version. */
function sameOf<Found extends Version>(wanted: ReadonlyMap<string, Found>, document: Version): Found | undefined {
  const version = wanted.get(document._id);
  return version && isSameVersion(document, version) ? version : undefined;
}

function toCandidate({ _id, createdAt }: Changed, similarity: number): Candidate {
  return { id: _id, createdAt, similarity };
}
