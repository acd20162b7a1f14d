import type { Collection, Document } from 'mongodb';
import type { MemoryDocument } from '../engine/collections.js';
import { MEMORY_FIELDS, type MemoryFields } from '../engine/memory-documents.js';
import type { ReadOptions } from '../engine/read-options.js';
import { fieldOf, fromEmbedding, similarityBetween, similarityTo } from '../engine/vectors.js';
import { isSameVersion, type RecentVectors, type Version } from './recent-vectors.js';
import type { Candidate, VectorScope } from './vector-search.js';

/** A memory that the search index may not include, in the version of one moment. */
type Changed = Version & Pick<MemoryDocument, 'createdAt'>;

/** A settled memory. It has its vector if the search rescores. */
type SettledFields = MemoryFields & Partial<Pick<MemoryDocument, 'embedding'>>;

/** The data that a search uses, as of one moment. */
interface Moment {
  /** The requested memories that are settled and match, by id. */
  settled: ReadonlyMap<string, SettledFields>;
  /** All matching memories that are not settled. */
  changed: readonly Changed[];
}

const READ_BATCH_SIZE = 1_000;

/** Reads the data that a vector search needs in addition to the search index. */
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

  /** Reads with one query, which sees one moment as confirmed by a majority. */
  async read(settledIds: readonly string[]): Promise<Moment> {
    const { filter, rescores, settledBefore, slot, vector } = this.#scope;
    const indexedAt = `$${slot.indexedAt}`;
    const settled = { $and: [filter, { _id: { $in: [...settledIds] }, [slot.indexedAt]: { $lt: settledBefore } }] };
    const changed = { $and: [filter, { [slot.indexedAt]: { $gte: settledBefore } }] };
    const pipeline = [
      { $match: settled },
      {
        $project: {
          ...MEMORY_FIELDS,
          indexedAt,
          ...(rescores && { [`embedding.${fieldOf(vector.length, slot)}`]: 1 }),
        },
      },
      {
        $unionWith: {
          coll: this.#memories.collectionName,
          // Few of these are among the best, so only some fields are read.
          pipeline: [{ $match: changed }, { $project: { createdAt: 1, updatedAt: 1, indexedAt } }],
        },
      },
    ];
    const options = { readConcern: { level: 'snapshot' }, batchSize: READ_BATCH_SIZE, ...this.#options } as const;
    const found = await this.#memories.aggregate<SettledFields & Changed>(pipeline, options).toArray();
    const still = found.filter(({ indexedAt }) => indexedAt < settledBefore);
    return {
      settled: new Map(still.map((document) => [document._id, document])),
      changed: found.filter(({ indexedAt }) => indexedAt >= settledBefore),
    };
  }

  /** Returns the similarity of a settled memory by its stored vector, or undefined if that was not read. */
  similarityOf({ embedding }: SettledFields): number | undefined {
    return embedding && similarityTo(this.#scope.vector, { embedding }, this.#scope.slot);
  }

  /** Returns the similarity of each changed memory at that moment, or undefined if one has changed again. */
  async measure(changed: readonly Changed[]): Promise<Candidate[] | undefined> {
    const { slot, vector } = this.#scope;
    const measured: Candidate[] = [];
    const unread: Changed[] = [];
    for (const memory of changed) {
      const stored = this.#recent.get(memory, slot, vector.length);
      if (stored) measured.push(toCandidate(memory, similarityBetween(vector, stored)));
      else unread.push(memory);
    }
    for (let at = 0; at < unread.length; at += READ_BATCH_SIZE) {
      const read = await this.#measureUnread(unread.slice(at, at + READ_BATCH_SIZE));
      if (!read) return undefined;
      measured.push(...read);
    }
    return measured;
  }

  /** Returns all fields of changed memories, or undefined if one has changed again. */
  async readWhole(changed: readonly Version[]): Promise<MemoryFields[] | undefined> {
    if (changed.length === 0) return [];
    const wanted = byId(changed);
    const projection = { ...MEMORY_FIELDS, indexedAt: `$${this.#scope.slot.indexedAt}` };
    const found = await this.#find(wanted, projection).toArray();
    const same = found.filter((document) => sameOf(wanted, document));
    return same.length === wanted.size ? same : undefined;
  }

  async #measureUnread(unread: readonly Changed[]): Promise<Candidate[] | undefined> {
    const { slot, vector } = this.#scope;
    const wanted = byId(unread);
    const projection = {
      updatedAt: 1,
      indexedAt: `$${slot.indexedAt}`,
      [`embedding.${fieldOf(vector.length, slot)}`]: 1,
    };
    const measured: Candidate[] = [];
    let same = 0;
    for await (const document of this.#find(wanted, projection)) {
      const memory = sameOf(wanted, document);
      if (!memory) return undefined;
      same += 1;
      const stored = fromEmbedding(document.embedding, vector.length, slot);
      if (!stored) continue;
      this.#recent.put(document, slot, stored);
      measured.push(toCandidate(memory, similarityBetween(vector, stored)));
    }
    return same === wanted.size ? measured : undefined;
  }

  #find(wanted: ReadonlyMap<string, Version>, projection: Document) {
    const own = { org: this.#org, _id: { $in: [...wanted.keys()] } };
    return this.#memories.find(own, { projection, batchSize: READ_BATCH_SIZE, ...this.#options });
  }
}

function byId<Found extends Version>(versions: readonly Found[]): Map<string, Found> {
  return new Map(versions.map((version) => [version._id, version]));
}

/** Returns the wanted entry for a document of the same version. */
function sameOf<Found extends Version>(wanted: ReadonlyMap<string, Found>, document: Version): Found | undefined {
  const version = wanted.get(document._id);
  return version && isSameVersion(document, version) ? version : undefined;
}

function toCandidate({ _id, createdAt }: Changed, similarity: number): Candidate {
  return { id: _id, createdAt, similarity };
}
