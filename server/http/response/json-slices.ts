import { setImmediate } from 'node:timers/promises';
import type { Gone } from '../../domain/account/caller.js';
import { JsonLines } from '../contract/json-lines.js';

/** Characters that are serialized in one turn of the event loop: about a millisecond of work. */
export const SLICE_CHARACTERS = 262_144;

/** Reports if a body has no list, and so only one part. */
export function isOnePart(body: unknown): body is object {
  if (typeof body !== 'object' || body === null || body instanceof JsonLines || Array.isArray(body)) return false;
  return !Object.values(body).some(Array.isArray);
}

/**
 * Serializes a body: as a text if it is short, otherwise as slices in UTF-8. Other work gets a turn of the event loop
 * after each slice, since a page of memories takes up to a tenth of a second. The smallest part is an element of a list,
 * so a slice may exceed its size by one memory.
 *
 * @param gone ends the work
 */
export async function jsonSlices(body: unknown, gone?: Gone): Promise<string | Buffer[]> {
  const slices: Buffer[] = [];
  let slice = '';
  for (const part of body instanceof JsonLines ? linesOf(body) : partsOf(body)) {
    slice += part;
    if (slice.length < SLICE_CHARACTERS) continue;
    slices.push(Buffer.from(slice));
    slice = '';
    await setImmediate();
    gone?.signal.throwIfAborted();
  }
  if (slices.length === 0) return slice;
  if (slice !== '') slices.push(Buffer.from(slice));
  return slices;
}

function* linesOf({ values }: JsonLines): Generator<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`;
}

/** Yields the text of `JSON.stringify(body)`, with a part for each element of each list of the body. */
function* partsOf(body: unknown): Generator<string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    yield JSON.stringify(body);
    return;
  }
  let separator = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (Array.isArray(value)) yield* listParts(value);
    else yield JSON.stringify(value);
  }
  yield separator === '{' ? '{}' : '}';
}

function* listParts(values: readonly unknown[]): Generator<string> {
  let separator = '[';
  for (const value of values) {
    yield `${separator}${JSON.stringify(value)}`;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
