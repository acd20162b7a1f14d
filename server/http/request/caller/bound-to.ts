import type { Within } from '../../../domain/memory/within.js';
import { asOne } from '../address/header.js';
import type { Context } from '../context.js';

/**
 * Returns the memories that the writes of a request may change, as its headers name them; undefined for all. A value
 * that is repeated or cannot be decoded names no memory, so that the request changes none.
 */
export function boundTo({ req: { headers } }: Pick<Context, 'req'>): Within | undefined {
  const subjectKey = decoded(asOne(headers['x-memory-subject-key']));
  const project = decoded(asOne(headers['x-memory-project']));
  if (subjectKey === undefined && project === undefined) return undefined;
  return { ...(subjectKey !== undefined && { subjectKey }), ...(project !== undefined && { project }) };
}

function decoded(value: string | undefined): string | undefined {
  try {
    return value === undefined ? undefined : decodeURIComponent(value).normalize('NFC');
  } catch {
    return value;
  }
}
