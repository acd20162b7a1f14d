import { v7 } from 'uuid';
import type { MemoryDocument } from '../../adapters/mongo/engine/collections.js';
import { toDocument } from '../../adapters/mongo/engine/memory-documents.js';
import { ALL_FACETS } from '../../adapters/mongo/engine/organization-state.js';
import { FIRST_SLOT, SECOND_SLOT } from '../../adapters/mongo/engine/vectors.js';
import { UnitFacetCounts } from '../../adapters/mongo/memories/unit-facet-counts.js';
import { NO_SCOPE } from '../../domain/memory/memory.js';
import { termsOf } from '../../domain/retrieval/keyword-terms.js';
import { hashContent } from '../../domain/text/content.js';
import { hashFold } from '../../domain/text/fold.js';
import { hashWords } from '../../domain/text/words.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { Embedder } from '../../ports/embedder.js';
import type { Corpus, CorpusItem } from '../corpus.js';
import type { World } from '../world.js';
import type { BenchDatabase } from './bench-database.js';

/** A project that contains only this many memories of every organization. */
export const FEW = { project: 'few', memories: 10 };

/** The metadata key that is true for three of ten memories of every organization. */
export const THIRD = 'third';

/** Organizations, and the memories that they have. */
export type Filling = Pick<World, 'stored' | 'organizations' | 'organizationIds'>;

/** Longer than a search index may lag behind. */
const AGE_MS = 3_600_000;
const AT_ONCE = 200;

/** A memory of the first organization. */
export interface Filled {
  id: string;
  content: string;
  isOfTheFew: boolean;
  isOfTheThird: boolean;
}

/**
 * Inserts memories directly into the collection, as the service would have stored them an hour ago. Later measurements
 * then find a database at rest. Returns the memories of the first organization.
 */
export async function fill(
  { collections }: BenchDatabase,
  world: Filling,
  corpus: Corpus,
  embedder: Embedder,
  size: number,
): Promise<Filled[]> {
  const indexedAt = new Date(Date.now() - AGE_MS);
  const filled: Filled[] = [];
  while (world.stored.length < size) {
    const items = take(world, corpus, Math.min(AT_ONCE, size - world.stored.length));
    const documents = await toDocuments(world, embedder, items, indexedAt);
    await collections.memories.insertMany(documents);
    await count(collections.organizations, documents, embedder);
    await countFacets(collections, documents);
    for (const [n, { _id, content, org }] of documents.entries()) {
      const isOfTheFew = items[n]?.metadata.project === FEW.project;
      const isOfTheThird = isThird(world, world.stored.length + n);
      if (org === world.organizationIds[0]) filled.push({ id: _id, content, isOfTheFew, isOfTheThird });
    }
    world.stored.push(...items);
  }
  return filled;
}

function isThird({ organizationIds }: Pick<Filling, 'organizationIds'>, serial: number): boolean {
  return Math.floor(serial / organizationIds.length) % 10 < 3;
}

function take({ stored, organizations }: Filling, corpus: Corpus, count: number): CorpusItem[] {
  return corpus.take(count).map((item, n) => {
    const isOfTheFew = stored.length + n < FEW.memories * organizations;
    return isOfTheFew ? { ...item, metadata: { ...item.metadata, project: FEW.project } } : item;
  });
}

async function toDocuments(
  { stored, organizationIds }: Filling,
  embedder: Embedder,
  items: readonly CorpusItem[],
  indexedAt: Date,
): Promise<MemoryDocument[]> {
  const embeddings = await embedder.embed(
    items.map(({ content }) => content),
    'document',
  );
  return items.map(({ content, metadata }, n) => {
    const serial = stored.length + n;
    const at: Microseconds = indexedAt.getTime() * 1_000 + serial;
    const organizationId = organizationIds[serial % organizationIds.length] ?? '';
    const times = { createdAt: at, updatedAt: at };
    const own = { ...metadata, [THIRD]: isThird({ organizationIds }, serial) };
    const memory = { id: v7(), organizationId, content, metadata: own, scope: NO_SCOPE, ...times };
    const indexed = {
      contentHash: hashContent(content),
      wordsHash: hashWords(content),
      foldHash: hashFold(content),
      terms: termsOf(content),
      embedding: embeddings[n] ?? new Float32Array(),
      fingerprint: embedder.fingerprint,
    };
    return toDocument(memory, indexed, indexedAt, { searchedSlot: FIRST_SLOT, otherSlot: SECOND_SLOT });
  });
}

/** Updates the counts of facets of the organizations. */
async function countFacets({ facetCounts }: BenchDatabase['collections'], documents: readonly MemoryDocument[]) {
  const counts = new Map<string, UnitFacetCounts>();
  for (const document of documents) {
    const ofOrganization = counts.get(document.org) ?? new UnitFacetCounts(facetCounts, document.org);
    counts.set(document.org, ofOrganization);
    ofOrganization.change(undefined, document, { facetsTo: ALL_FACETS });
  }
  await facetCounts.bulkWrite([...counts.values()].flatMap((each) => each.takeOperations()));
}

/** Updates the counts of the organizations. */
async function count(
  organizations: BenchDatabase['collections']['organizations'],
  documents: readonly MemoryDocument[],
  { fingerprint }: Embedder,
): Promise<void> {
  const updates = documents.map(({ org, words, createdAt }) => ({
    updateOne: {
      filter: { _id: org },
      update: {
        $inc: { active: 1, words },
        $max: { clock: createdAt, newest: createdAt },
        $set: { 'settings.embeddingFingerprint': fingerprint },
      },
    },
  }));
  await organizations.bulkWrite(updates);
}
