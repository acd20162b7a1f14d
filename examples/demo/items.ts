import type { BatchItem } from '@memory-service/sdk';
import { cutIntoChunks } from './chunk.js';
import type { DocumentKind, SourceDocument } from './corpus.js';
import { plainText } from './plain-text.js';

/** The newest entries of a change log say most of what there is to say, so little of it is stored. */
const MAX_CHUNKS: Record<DocumentKind, number> = { readme: 100, doc: 100, changelog: 12 };
/** Characters of plain text below which a chunk is badges, logos or a rule. */
const MIN_TO_READ = 40;

/** The chunks of a document as memories, none when it holds nothing to read. */
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
