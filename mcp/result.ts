import { MemoryApiError, NotFoundError } from '@memory-service/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ArgumentError } from './arguments.js';
import { isObject } from './json-schema.js';

/** The body of an error: that of the service, or a general one. */
export interface Refusal {
  error: string;
  code?: string;
  [further: string]: unknown;
}

/** Creates a result with the body as data, and as text for clients that read only text. */
export function success(body: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: { ...body } };
}

/** Creates a tool error, which a model can read and act on. */
export function failure(refusal: Refusal): CallToolResult {
  return { ...success(refusal), isError: true };
}

/**
 * Converts a thrown error to what the caller may see: the unchanged error body of the service. Other errors are passed to
 * `report` and hidden from the caller.
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
  return { error: 'The memory service did not respond: try again', code: 'service_unavailable' };
}

/** Returns the members that an upsert adds if a deleted memory has its key. */
function deletedKey(deletedMemoryId: string): Partial<Refusal> {
  return { deletedMemoryId, hint: 'The memory with this key is deleted: restore it with memory_restore' };
}
