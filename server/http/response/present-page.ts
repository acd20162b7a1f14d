import { formatCursor } from '../../domain/cursor.js';
import type { Page } from '../../domain/page.js';
import type * as wire from '../contract/wire.js';

/** Returns the fields that a page of a list has beside its items. */
export function presentPage(page: Page<unknown>): { meta: wire.PageMeta; nextCursor?: string } {
  const nextCursor = nextCursorOf(page);
  return { meta: presentMeta(page), ...(nextCursor !== undefined && { nextCursor }) };
}

export function presentMeta({ items, hasMore }: Page<unknown>): wire.PageMeta {
  return { count: items.length, hasMore };
}

/** Returns the cursor of the next page; undefined for the last page. */
export function nextCursorOf({ hasMore, last }: Omit<Page<unknown>, 'items'>): string | undefined {
  return hasMore && last ? formatCursor(last) : undefined;
}
