import { type Place, parseChunkIdentity } from '../../domain/documents/chunk.js';
import { documentKey } from '../../domain/documents/document.js';
import { subjectText } from '../../domain/filter/memory-facets.js';
import type { Embedder } from '../../ports/embedder.js';

/** A content to embed. Without a chunk it is embedded alone. */
export interface PlacedContent extends Place {
  content: string;
}

/**
 * Embeds contents as documents, each distinct one once.
 *
 * If the embedder has a model for chunks, those of a document are embedded with regard to each other, and to those of
 * `context` that are of the same document. So the vector of a chunk depends on the chunks that are embedded with it.
 *
 * @throws {EmbeddingUnavailableError}
 */
export async function embedContents(
  embedder: Embedder,
  contents: readonly PlacedContent[],
  { context = [], tenant }: { context?: readonly PlacedContent[]; tenant?: string } = {},
): Promise<Float32Array[]> {
  const [only] = contents;
  if (only && contents.length === 1 && !embedder.embedChunks) return [await embedOne(embedder, only, tenant)];
  const vectors = embedder.embedChunks
    ? await embedDocuments(embedder, documentsOf(contents, context), tenant)
    : await embedAlone(embedder, contents, tenant);
  const keyOf = embedder.embedChunks ? chunkKey : contentKey;
  return contents.map((content) => {
    const vector = vectors.get(keyOf(content));
    if (!vector) throw new Error('the embedder returned no vector');
    return vector;
  });
}

/** A write of one memory has one content. */
async function embedOne(
  embedder: Embedder,
  { content }: PlacedContent,
  tenant: string | undefined,
): Promise<Float32Array> {
  const [vector] = await embedder.embed([content], 'document', tenant);
  if (!vector) throw new Error('the embedder returned no vector');
  return vector;
}

async function embedAlone(
  embedder: Embedder,
  contents: readonly PlacedContent[],
  tenant: string | undefined,
): Promise<Map<string, Float32Array>> {
  const distinct = [...new Set(contents.map(contentKey))];
  const vectors = await embedder.embed(distinct, 'document', tenant);
  return new Map(distinct.flatMap((key, at) => (vectors[at] ? [[key, vectors[at]]] : [])));
}

async function embedDocuments(
  embedder: Embedder,
  documents: readonly (readonly PlacedContent[])[],
  tenant: string | undefined,
): Promise<Map<string, Float32Array>> {
  const texts = documents.map((chunks) => chunks.map(({ content }) => content));
  const vectors = (await embedder.embedChunks?.(texts, tenant)) ?? [];
  const made = documents.flatMap((chunks, at) => chunks.map((chunk, index) => [chunk, vectors[at]?.[index]] as const));
  return new Map(made.flatMap(([chunk, vector]) => (vector ? [[chunkKey(chunk), vector]] : [])));
}

/** Returns the documents of the contents, each with its distinct chunks in order. */
function documentsOf(contents: readonly PlacedContent[], context: readonly PlacedContent[]): PlacedContent[][] {
  const documents = new Map<string, Map<string, PlacedContent>>();
  for (const content of contents) {
    const key = groupKey(content);
    const chunks = documents.get(key) ?? new Map<string, PlacedContent>();
    documents.set(key, chunks.set(chunkKey(content), content));
  }
  for (const content of context) {
    if (content.chunk !== undefined) documents.get(groupKey(content))?.set(chunkKey(content), content);
  }
  return [...documents.values()].map((chunks) =>
    [...chunks.values()].sort((one, other) => indexOf(one) - indexOf(other)),
  );
}

function contentKey({ content }: PlacedContent): string {
  return content;
}

/** Identifies a content in its document. Equal contents of two chunks may have different vectors. */
function chunkKey({ content, chunk, subjectKey }: PlacedContent): string {
  return JSON.stringify(chunk === undefined ? [content] : [content, chunk, subjectText(subjectKey)]);
}

/** Identifies the contents that are embedded with regard to each other. */
function groupKey({ content, chunk, subjectKey }: PlacedContent): string {
  if (chunk === undefined) return JSON.stringify([content]);
  return documentKey({ documentId: parseChunkIdentity(chunk).documentId, subjectKey });
}

function indexOf({ chunk }: PlacedContent): number {
  return chunk === undefined ? 0 : parseChunkIdentity(chunk).chunkIndex;
}
