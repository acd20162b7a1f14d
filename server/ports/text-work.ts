import type { RejectionReason } from '../domain/content-scan/scan.js';
import type { ReadContent } from '../domain/retrieval/read-content.js';
import type { EmbeddingPurpose } from './embedder.js';

/** A model of the local embedder. */
export interface LocalModel {
  name: 'terms-and-meaning-1' | 'hashed-terms-1';
  dimensions: number;
}

/** Work that takes time in proportion to the length of texts. Long work is done beside the event loop. */
export interface TextWork {
  /**
   * Starts a row of texts that belong together, such as the items of a batch.
   *
   * @param tenant who takes turns with others; undefined for the service itself
   */
  row(tenant: string | undefined): TextRow;
}

/** Each method is done at once until the texts of the row are long together, and then when it is the tenant's turn. */
export interface TextRow {
  /**
   * Reads what a content is looked up and compared by.
   *
   * @param maxCodePoints the content is normalized and checked first; undefined for one that is stored already
   * @throws {UnprocessableError} for a content that the rules refuse
   * @throws {ShareExceededError} when too many wait
   */
  read(content: string, maxCodePoints?: number): Promise<ReadContent>;

  /**
   * Looks for secrets and personal data.
   *
   * @throws {ScanEffortError}
   * @throws {ShareExceededError}
   */
  scan(texts: readonly string[]): Promise<RejectionReason[]>;

  /**
   * Embeds with the local model.
   *
   * @throws {ShareExceededError}
   */
  embed(text: string, purpose: EmbeddingPurpose, model: LocalModel): Promise<Float32Array>;
}
