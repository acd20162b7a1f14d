import type { RejectionReason } from '../domain/content-scan/scan.js';
import type { ReadContent } from '../domain/retrieval/read-content.js';
import type { EmbeddingPurpose } from './embedder.js';

/** A model of the local embedder. */
export interface LocalModel {
  name: 'terms-and-meaning-1' | 'hashed-terms-1';
  dimensions: number;
}

/** Runs work whose time grows with the length of texts. Long work runs outside the event loop. */
export interface TextWork {
  /**
   * Starts a row: texts that belong together, such as the items of a batch.
   *
   * @param tenant owner of the texts, which shares the time with others; undefined for the service itself
   */
  row(tenant: string | undefined): TextRow;
}

/** Runs immediately while the texts of the row are short in sum. After that, each call waits for the tenant's turn. */
export interface TextRow {
  /**
   * Normalizes and validates content.
   *
   * @throws {UnprocessableError} if the content is not valid
   * @throws {ShareExceededError} if too many callers wait
   * @throws {LostWorkError}
   */
  normalize(content: string, maxCodePoints: number): Promise<string>;

  /**
   * Computes the values by which content is found and compared.
   *
   * @param content normalized
   * @param withFormer see `readContent`
   * @throws {ShareExceededError} if too many callers wait
   * @throws {LostWorkError}
   */
  read(content: string, withFormer?: boolean): Promise<ReadContent>;

  /**
   * Detects secrets and personal data.
   *
   * @throws {ScanEffortError}
   * @throws {ShareExceededError}
   * @throws {LostWorkError}
   */
  scan(texts: readonly string[]): Promise<RejectionReason[]>;

  /**
   * Embeds with the local model.
   *
   * @throws {ShareExceededError}
   * @throws {LostWorkError}
   */
  embed(text: string, purpose: EmbeddingPurpose, model: LocalModel): Promise<Float32Array>;
}
