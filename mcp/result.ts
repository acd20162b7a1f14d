import { MemoryApiError, NotFoundError } from '@memory-service/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ArgumentError } from './arguments.js';
import { OutsideError } from './binding/bound-call.js';
import { isObject } from './json-schema.js';
import { nextStep } from './next-steps.js';

/** The body of an error: that of the service, or a general one. */
export interface Refusal {
  error: string;
  code?: string;
  /** The next step of the caller. */
  hint?: string;
  [further: string]: unknown;
}

/** Creates a result: a short text for models, and the full body as data. */
export function success(body: Readonly<Record<string, unknown>>, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...body } };
}

/** Creates a tool error, which a model can read and act on. */
export function failure(refusal: Refusal): CallToolResult {
  return { ...success(refusal, refusalText(refusal)), isError: true };
}

/**
 * Converts a thrown error to what the caller may see: the error body of the service, with a next step. Other errors are
 * passed to `report` and hidden from the caller.
 */
export function toRefusal(error: unknown, report: (error: unknown) => void): Refusal {
  const refusal = bodyOf(error, report);
  const hint = refusal.hint ?? nextStep(refusal);
  return { ...refusal, ...(hint !== undefined && { hint }) };
}

function bodyOf(error: unknown, report: (error: unknown) => void): Refusal {
  if (error instanceof ArgumentError) {
    const { message, code, path, reason, hint } = error;
    return { error: message, code, details: [{ path, message: reason }], ...(hint !== undefined && { hint }) };
  }
  if (error instanceof OutsideError) return { error: 'Not found' };
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
  const hint = `The memory with this key is deleted: restore it with memory_restore and the id ${deletedMemoryId}.`;
  return { deletedMemoryId, hint };
}

/** Writes an error for a model: the message, its code, further faults, and the next step. */
function refusalText({ error, code, details, hint, id }: Refusal): string {
  const faults = Array.isArray(details) ? details.filter(isObject).slice(1) : [];
  const further = faults.map(({ path, message }) => `${path} ${message}.`);
  const about = typeof id === 'string' ? `It is [${id}].` : undefined;
  const parts = [`${error}${code === undefined ? '' : ` (${code})`}.`, ...further, about, hint];
  return parts.filter((part) => part !== undefined).join(' ');
}
