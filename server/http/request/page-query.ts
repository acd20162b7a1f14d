import { parseCursor } from '../../domain/memory/cursor.js';
import type { PageQuery } from '../../ports/account-store.js';

/** Which page of a listing is asked for. @throws {UnprocessableError} for a cursor that no page gave */
export function toPageQuery({ limit, cursor }: { limit: number; cursor?: string }): PageQuery {
  return { limit, ...(cursor !== undefined && { after: parseCursor(cursor) }) };
}
