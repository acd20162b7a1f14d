import type { BatchItem } from '@memory-service/sdk';
import { cutIntoChunks } from './chunk.js';
import type { DocumentKind, SourceDocument } from './corpus.js';
import { plainText } from './plain-text.js';

/** Only the start of a change log is stored, since its newest entries are the most useful. */
const MAX_CHUNKS: Record<DocumentKind, number> = { readme: 100, doc: 100, changelog: 12 };
/** Minimum plain text of a chunk. Shorter chunks are badges, logos or rules. */
const MIN_TO_READ = 40;

/** Converts a document to items, one per chunk. Returns none if it has no readable text. */
export function toItems({ id, project, path, kind, text }: SourceDocument): BatchItem[] {
  const chunks = cutIntoChunks(text)
    .filter((chunk) => plainText(chunk.text).length >= MIN_TO_READ)
    .slice(0, MAX_CHUNKS[kind]);
  return chunks.map((chunk, chunkIndex) => ({
    content: chunk.text,
    metadata: {
      source: 'docs',
      project,
      kind,
      path,
      heading: chunk.heading,
      documentId: id,
      chunkIndex,
      chunkTotal: chunks.length,
    },
  }));
}
