/** What a text is embedded for: some models embed a question differently from the passage that answers it. */
export type EmbeddingPurpose = 'document' | 'query';

/** `ok`; `degraded` while the provider is being tried again; `down` while it is left alone after repeated failures. */
export type EmbedderStatus = 'ok' | 'degraded' | 'down';

export interface Embedder {
  /** `provider|model|dimensions`; vectors of different fingerprints are never compared. */
  readonly fingerprint: string;

  readonly dimensions: number;

  /**
   * The cosine from which two documents are one fact if their words leave that
   * open. The default is the provider's; SERVICE_SEMANTIC_DEDUPE_THRESHOLD overrides it.
   */
  readonly semanticDedupeThreshold: number;

  /**
   * Embedders of earlier releases. An organization whose vectors one of them made is served by it, until its memories
   * are re-embedded.
   */
  readonly former?: readonly Embedder[];

  /**
   * Embeds each text as one vector of length 1, in the order of the texts.
   *
   * @param tenant whose texts they are; what is done on this machine takes turns by it
   * @throws {EmbeddingUnavailableError} when not every text could be embedded; nothing is returned for the others
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose, tenant?: string): Promise<Float32Array[]>;

  /** Tells what the last calls taught about the provider, without calling it. */
  status(): EmbedderStatus;
}

/** Vectors could not be had now. The message names no key and quotes no text. */
export class EmbeddingUnavailableError extends Error {
  override name = 'EmbeddingUnavailableError';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
