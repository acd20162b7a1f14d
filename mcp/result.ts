import { MemoryApiError, NotFoundError } from '@memory-service/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ArgumentError } from './arguments.js';
import { isObject } from './json-schema.js';

/** What a refusal says: the service's own words and code, or that there were none. */
export interface Refusal {
  error: string;
  code?: string;
  [further: string]: unknown;
}

/** An answer, as data and as the same in text for clients that read only that. */
export function success(body: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: { ...body } };
}

/** A refusal as a tool error, which a model can read and act on. */
export function failure(refusal: Refusal): CallToolResult {
  return { ...success(refusal), isError: true };
}

/**
 * What a thrown error says to a caller: the body of the service's answer as it
 * is. Anything else is not for callers, and reported apart.
 */
export function toRefusal(error: unknown, report: (error: unknown) => void): Refusal {
  if (error instanceof ArgumentError) {
    const { message, code, path, reason } = error;
    return { error: message, code, details: [{ path, message: reason }] };
  }
  if (error instanceof MemoryApiError) {
    const { body, message, code, retryAfter } = error;
    const said = isObject(body) && typeof body.error === 'string' ? body : {};
    return {
      error: message,
      ...(code !== undefined && { code }),
      ...said,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(error instanceof NotFoundError && error.deletedMemoryId !== undefined && deletedKey(error.deletedMemoryId)),
    };
  }
  report(error);
  return { error: 'The memory service did not answer: try again', code: 'service_unavailable' };
}

/** What a refused upsert says of the deleted memory that has its key. */
function deletedKey(deletedMemoryId: string): Partial<Refusal> {
  return { deletedMemoryId, hint: 'The memory with this key was deleted: memory_restore brings it back' };
}
