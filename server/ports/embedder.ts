import type { SharedResource } from '../domain/fairness/shared-resource.js';
import type { RelevanceCurve } from '../domain/retrieval/relevance.js';

/** Use of an embedded text. Some models embed a question differently from the passage that answers it. */
export type EmbeddingPurpose = 'document' | 'query';

/** `degraded` while calls to the provider are retried; `down` while none are made after repeated failures. */
export type EmbedderStatus = 'ok' | 'degraded' | 'down';

export interface Embedder {
  /** `provider|model|dimensions`; vectors of different fingerprints are never compared. */
  readonly fingerprint: string;

  readonly dimensions: number;

  /**
   * Minimum cosine at which two contents are near-duplicates if their words do not decide it. Each provider has a
   * default; SERVICE_SEMANTIC_DEDUPE_THRESHOLD overrides it.
   */
  readonly semanticDedupeThreshold: number;

  /**
   * Curve from the similarity of a query and a document to relevance, in which .5 is the border of relevant documents.
   * Default: relevance is the similarity.
   */
  readonly relevanceCurve?: RelevanceCurve;

  /**
   * Returns a former embedder that the service still has. An organization whose vectors it made is served by it, until
   * its memories are re-embedded.
   */
  formerOf?(fingerprint: string): Embedder | undefined;

  /** Resources that tenants share, for the metrics. */
  readonly sharedResources?: readonly Pick<SharedResource, 'name' | 'use'>[];

  /**
   * Embeds each text as one vector of length 1, in the order of the texts.
   *
   * @param tenant owner of the texts; tenants take turns. Undefined for the service itself.
   * @throws {EmbeddingUnavailableError} if any text could not be embedded
   * @throws {ShareExceededError} if too many calls wait, of this or of all tenants, or the wait takes too long
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose, tenant?: string): Promise<Float32Array[]>;

  /**
   * Embeds the chunks of documents, each with regard to the others of its document, for comparison with vectors of
   * `embed`. The chunks are in order. Absent if the model embeds each text by itself.
   *
   * @throws like `embed`
   */
  embedChunks?(documents: readonly (readonly string[])[], tenant?: string): Promise<Float32Array[][]>;

  /**
   * Compares texts with a query by a model that reads both together. Absent if the provider has none.
   *
   * @returns a score in [0, 1] for each text, in the order of the texts
   * @throws like `embed`
   */
  rerank?(query: string, texts: readonly string[], tenant?: string): Promise<number[]>;

  /** Reports the provider's state from the last calls, without calling it. */
  status(): EmbedderStatus;
}

/** The provider returned no vectors. The message contains neither a key nor the embedded text. */
export class EmbeddingUnavailableError extends Error {
  override name = 'EmbeddingUnavailableError';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
