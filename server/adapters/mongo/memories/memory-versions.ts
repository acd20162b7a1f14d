import type { AnyBulkWriteOperation } from 'mongodb';
import { parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import type { MemoryVersion } from '../../../domain/memory/version.js';
import type { PageQuery } from '../../../domain/page.js';
import type { VersionStore } from '../../../ports/version-store.js';
import type { Collections, MemoryVersionDocument } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';
import { idOf, type StoredFields } from '../engine/memory-documents.js';
import { limitedTo } from '../engine/paging.js';

/** Reads versions, as confirmed by a majority. */
export class MongoVersionStore implements VersionStore {
  readonly #versions: Collections['memoryVersions'];

  constructor({ memoryVersions }: Collections) {
    this.#versions = memoryVersions;
  }

  async list(org: string, memoryId: string, { after, limit }: PageQuery): Promise<MemoryVersion[]> {
    const filter = { org, memoryId, ...(after && { replacedAt: { $lt: after.at } }) };
    const found = await guarded(() =>
      this.#versions.find(filter, { sort: { replacedAt: -1 }, ...limitedTo(limit) }).toArray(),
    );
    return found.map(toVersion);
  }

  async listAll(org: string, { after, limit }: PageQuery): Promise<MemoryVersion[]> {
    const filter = {
      org,
      ...(after && {
        memoryId: { $lte: after.id },
        $or: [{ memoryId: { $lt: after.id } }, { replacedAt: { $gt: after.at } }],
      }),
    };
    const sort = { memoryId: -1, replacedAt: 1 } as const;
    const found = await guarded(() => this.#versions.find(filter, { sort, ...limitedTo(limit) }).toArray());
    return found.map(toVersion);
  }

  async find(org: string, memoryId: string, number: number): Promise<MemoryVersion | undefined> {
    const found = await guarded(() => this.#versions.findOne({ org, memoryId, number }));
    return found ? toVersion(found) : undefined;
  }
}

type VersionFields = Omit<MemoryVersionDocument, '_id' | 'org' | 'memoryId'>;

/** Returns a stored memory as version `number`, replaced by the given change. */
export function versionOf(stored: StoredFields, { updatedAt: replacedAt }: Memory, number: number): VersionFields {
  const { updatedAt, subject, content, metadata } = stored;
  return { number, updatedAt, replacedAt, subject, content, metadata };
}

export function toVersionFields({ number, updatedAt, replacedAt, ...state }: MemoryVersion): VersionFields {
  const metadata = JSON.stringify(state.metadata);
  return { number, updatedAt, replacedAt, subject: subjectText(state.subjectKey), content: state.content, metadata };
}

/** Returns the writes that store a version of a memory and keep at most `kept` versions. */
export function versionWrites(
  org: string,
  { _id }: Pick<StoredFields, '_id'>,
  version: VersionFields,
  kept: number,
): AnyBulkWriteOperation<MemoryVersionDocument>[] {
  const memoryId = idOf(_id);
  if (kept === 0) return [{ deleteMany: { filter: { org, memoryId } } }];
  const { number } = version;
  const document: MemoryVersionDocument = { _id: compoundId(_id, String(number)), org, memoryId, ...version };
  const insert = { insertOne: { document } };
  if (number <= kept) return [insert];
  return [insert, { deleteMany: { filter: { org, memoryId, number: { $lte: number - kept } } } }];
}

export function toVersion(document: MemoryVersionDocument): MemoryVersion {
  const subjectKey = parseSubjectText(document.subject);
  return {
    memoryId: document.memoryId,
    number: document.number,
    content: document.content,
    metadata: JSON.parse(document.metadata) as Metadata,
    ...(subjectKey !== undefined && { subjectKey }),
    updatedAt: document.updatedAt,
    replacedAt: document.replacedAt,
  };
}
