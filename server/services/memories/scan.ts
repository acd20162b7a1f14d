import type { ContentScanner, Deps } from '../../deps.js';
import { textsOf } from '../../domain/content-scan/scan.js';
import { ShareExceededError } from '../../domain/fairness/owner.js';
import type { Metadata } from '../../domain/memory/memory.js';
import { ContentRejectedError, UnavailableError } from '../../errors.js';
import type { TextRow } from '../../ports/text-work.js';

const RETRY_AFTER_SECONDS = 60;

/**
 * Rejects content with secrets or personal data (section 7). Content that cannot be scanned is rejected too.
 *
 * @throws {ContentRejectedError}
 * @throws {UnavailableError} if the scan itself fails
 */
export async function assertHarmless(
  { contentScan }: Pick<Deps, 'contentScan'>,
  row: TextRow,
  { content, metadata }: { content?: string; metadata?: Metadata },
): Promise<void> {
  if (!contentScan) return;
  const reasons = await reasonsIn(contentScan, row, [...textsOf(content, metadata)]);
  if (reasons.length > 0) throw new ContentRejectedError(reasons);
}

async function reasonsIn(scan: ContentScanner, row: TextRow, texts: readonly string[]): Promise<readonly string[]> {
  try {
    return await scan(texts, row);
  } catch (error) {
    if (error instanceof ShareExceededError) throw error;
    throw new UnavailableError(
      'The memory could not be scanned, so nothing was stored: try again',
      RETRY_AFTER_SECONDS,
      error,
    );
  }
}
