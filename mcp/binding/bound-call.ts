import type { CallOptions, MemoryClient } from '@memory-service/sdk';
import { isObject } from '../json-schema.js';
import type { Refusal } from '../result.js';
import type { AnyTool } from '../tools/define.js';
import { bindInput } from './bind-input.js';
import { type Bound, isWithin } from './binding.js';

type Body = Readonly<Record<string, unknown>>;

/** A memory is outside the binding. Callers get the answer for an unknown id. */
export class OutsideError extends Error {
  override name = 'OutsideError';
}

/** The response of a tool, and the arguments that it was called with. */
export interface Called {
  input: Body;
  body: Body;
}

/**
 * Calls a tool on the bound part of the memories.
 *
 * @throws {ArgumentError} if an argument has another value than the connection
 * @throws {OutsideError} if the id is of a memory outside
 */
export async function callBound(
  tool: AnyTool,
  client: MemoryClient,
  { input, bound }: { input: Body; bound: Bound },
  options: CallOptions,
): Promise<Called> {
  const bounded = bindInput(tool.binds, input, bound);
  if (tool.binds === 'id' || tool.binds === 'change') await assertWithin(client, String(input.id), bound, options);
  const body: Body = { ...(await tool.run(client, bounded, options)) };
  if (tool.binds === 'read' && !isWithin(body, bound)) throw new OutsideError();
  return { input: bounded, body: 'facets' in body ? withoutTotal(body) : body };
}

/** Reports if all items of a batch were rejected for the type of their subject key. */
export function isKeyRejected({ body }: Called): boolean {
  const { results } = body;
  if (!Array.isArray(results) || results.length === 0) return false;
  return results.every(({ error }) => isObject(error) && error.code === 'subject_key_invalid');
}

/** Adapts an error to a binding: removes the ids of memories outside, such as that of the holder of a key. */
export async function toBoundRefusal(
  client: MemoryClient,
  refusal: Refusal,
  bound: Bound,
  options: CallOptions,
): Promise<Refusal> {
  if (refusal.code === 'subject_key_invalid') {
    return {
      ...refusal,
      hint: 'Tell the user: this is about the subject key of the connection, which you cannot change.',
    };
  }
  const { id, deletedMemoryId, ...rest } = refusal;
  const named = id ?? deletedMemoryId;
  if (typeof named !== 'string' || (await isVisible(client, named, bound, options))) return refusal;
  return { ...rest, hint: 'A memory that this connection cannot see has it already. Write it in other words.' };
}

/** Replaces the number of all memories by that of the bound ones. */
export function withoutTotal(counts: Body): Body {
  const { meta } = counts;
  return isObject(meta) ? { ...counts, meta: { ...meta, total: meta.filtered } } : counts;
}

async function assertWithin(client: MemoryClient, id: string, bound: Bound, options: CallOptions): Promise<void> {
  if (!isWithin(await client.get(id, { includeDeleted: true }, options), bound)) throw new OutsideError();
}

async function isVisible(client: MemoryClient, id: string, bound: Bound, options: CallOptions): Promise<boolean> {
  try {
    await assertWithin(client, id, bound, options);
    return true;
  } catch {
    // A credential that may not read sees nothing either.
    return false;
  }
}
