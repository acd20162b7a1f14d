import type { Deps } from '../../deps.js';
import { textsOf } from '../../domain/content-scan/scan.js';
import type { Metadata } from '../../domain/memory/memory.js';
import { ContentRejectedError, UnavailableError } from '../../errors.js';

const RETRY_AFTER_SECONDS = 60;

/**
 * Refuses what holds secrets or personal data (part 7). What cannot be
 * scanned is refused too.
 *
 * @throws {ContentRejectedError}
 * @throws {UnavailableError} when the scan itself fails
 */
export function assertHarmless(
  contentScan: Deps['contentScan'],
  { content, metadata }: { content?: string; metadata?: Metadata },
): void {
  if (!contentScan) return;
  const reasons = reasonsIn(contentScan, textsOf(content, metadata));
  if (reasons.length > 0) throw new ContentRejectedError(reasons);
}

function reasonsIn(contentScan: NonNullable<Deps['contentScan']>, texts: Iterable<string>): readonly string[] {
  try {
    return contentScan(texts);
  } catch (error) {
    throw new UnavailableError('The memory could not be scanned: nothing was stored', RETRY_AFTER_SECONDS, error);
  }
}
