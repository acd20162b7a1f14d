import { formatCursor } from '../../domain/cursor.js';
import type { Page } from '../../domain/page.js';
import type * as wire from '../contract/wire.js';

/** Returns what a page of a list carries beside its items. */
export function presentPage(page: Page<unknown>): { meta: wire.PageMeta; nextCursor?: string } {
  const nextCursor = nextCursorOf(page);
  return { meta: presentMeta(page), ...(nextCursor !== undefined && { nextCursor }) };
}

export function presentMeta({ items, hasMore }: Page<unknown>): wire.PageMeta {
  return { count: items.length, hasMore };
}

/** Returns the cursor of the page that follows, undefined for the last page. */
export function nextCursorOf({ hasMore, last }: Page<unknown>): string | undefined {
  return hasMore && last ? formatCursor(last) : undefined;
}
