import type { Document } from 'mongodb';
import { parseChunkIdentity } from '../../../domain/documents/chunk.js';
import type { StoredChunk } from '../../../domain/documents/document.js';
import { facetOf, facetPrefix } from '../../../domain/filter/facet.js';
import { parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import type { SubjectKey } from '../../../domain/memory/memory.js';
import type { ChunkQuery, DocumentStore } from '../../../ports/document-store.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import { documentIdsOf, endOfDocumentIds, idOf } from '../engine/memory-documents.js';
import { readOptions } from '../engine/read-options.js';

/** A text that sorts after every id. */
const AFTER_IDS = '~';
const TOTAL = facetPrefix('chunkTotal');
/** Fields to read. The database computes them, since content and metadata may be large. */
const FIELDS = {
  subject: 1,
  source: 1,
  project: 1,
  chunk: 1,
  createdAt: 1,
  updatedAt: 1,
  bytes: { $strLenBytes: '$content' },
  totals: { $filter: { input: '$facets', cond: { $eq: [{ $indexOfBytes: ['$$this', TOTAL] }, 0] } } },
};

type ChunkFields = Pick<
  MemoryDocument,
  '_id' | 'subject' | 'source' | 'project' | 'chunk' | 'createdAt' | 'updatedAt'
> & { bytes: number; totals: string[] };

/** Reads documents and their chunks, as confirmed by a majority. */
export class MongoDocumentStore implements DocumentStore {
  readonly #memories: Collections['memories'];

  constructor({ memories }: Collections) {
    this.#memories = memories;
  }

  async chunks(org: string, query: ChunkQuery, signal?: AbortSignal): Promise<StoredChunk[]> {
    const stages = [
      { $match: rangesOf(org, query) },
      { $sort: { subject: 1, document: 1, _id: 1 } },
      { $limit: query.limit },
      { $project: FIELDS },
    ];
    const options = { batchSize: query.limit + 1, ...readOptions(signal) };
    const found = await guarded(() => this.#memories.aggregate<ChunkFields>(stages, options).toArray());
    return found.map(toChunk);
  }

  async subjectsOf(org: string, documentId: string, limit: number): Promise<(SubjectKey | undefined)[]> {
    const facets = facetOf('documentId', documentId);
    const stages = [
      { $match: { org, live: true, facets, document: { $exists: true } } },
      { $group: { _id: '$subject' } },
      { $limit: limit },
    ];
    const options = { batchSize: limit + 1, ...readOptions() };
    const found = await guarded(() => this.#memories.aggregate<{ _id: string }>(stages, options).toArray());
    return found.map(({ _id }) => parseSubjectText(_id));
  }

  async contents(org: string, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>> {
    const filter = { org, live: true, _id: { $in: ids.flatMap((id) => documentIdsOf(org, id)) } };
    const options = { projection: { content: 1 }, batchSize: ids.length + 1, ...readOptions(signal) } as const;
    const found = await guarded(() => this.#memories.find(filter, options).toArray());
    return new Map(found.map(({ _id, content }) => [idOf(_id), content]));
  }
}

/** Returns the index ranges of a query. Each is a full range, so that the database can merge them in order. */
function rangesOf(org: string, { of, after }: ChunkQuery): Document {
  const chunk = { org, live: true, document: { $exists: true } };
  const own = of && { ...chunk, subject: subjectText(of.subjectKey) };
  if (!after) return { ...(own ?? chunk), ...(of?.documentId !== undefined && { document: of.documentId }) };
  const subject = subjectText(after.subjectKey);
  const document = after.documentId;
  const rest = {
    ...chunk,
    subject,
    document,
    _id: { $gt: after.id === undefined ? AFTER_IDS : endOfDocumentIds(after.id) },
  };
  if (of?.documentId !== undefined) return rest;
  const others = { ...chunk, subject, document: { $gt: document } };
  return { $or: own ? [rest, others] : [rest, others, { ...chunk, subject: { $gt: subject } }] };
}

function toChunk(fields: ChunkFields): StoredChunk {
  const { documentId, chunkIndex } = parseChunkIdentity(fields.chunk ?? '');
  const subjectKey = parseSubjectText(fields.subject);
  return {
    id: idOf(fields._id),
    documentId,
    ...(subjectKey !== undefined && { subjectKey }),
    scope: { source: fields.source, project: fields.project },
    index: chunkIndex,
    total: Number(fields.totals[0]?.slice(TOTAL.length)),
    bytes: fields.bytes,
    createdAt: fields.createdAt,
    updatedAt: fields.updatedAt,
  };
}
