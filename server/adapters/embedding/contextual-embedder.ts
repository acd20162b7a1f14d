import type { Embedder } from '../../ports/embedder.js';
import { RemoteEmbedder } from './remote-embedder.js';

/** Embeds with a model that embeds each chunk of a document with regard to the others. */
export class ContextualEmbedder extends RemoteEmbedder implements Embedder {
  embedChunks(documents: readonly (readonly string[])[], tenant?: string): Promise<Float32Array[][]> {
    return this.embedLists(documents, 'document', tenant);
  }
}
