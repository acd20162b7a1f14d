import { parseCursor } from '../../../domain/cursor.js';
import type { PageQuery } from '../../../domain/page.js';

/** @throws {UnprocessableError} for a cursor that no page returned */
export function toPageQuery({ limit, cursor }: { limit: number; cursor?: string }): PageQuery {
  return { limit, ...(cursor !== undefined && { after: parseCursor(cursor) }) };
}
