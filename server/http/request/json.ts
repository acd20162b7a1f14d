import { isUtf8 } from 'node:buffer';
import { JSON_BOUNDS } from '../../domain/fairness/bounds.js';
import { BadRequestError, UnprocessableError } from '../../errors.js';
import { assertNoNull } from './null-character.js';

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Depth of the elements of a list that is a member of the body: the items of a batch. */
const ITEM_DEPTH = 2;

interface JsonRules {
  /** Values in all. */
  values?: number;
  /**
   * Called for a body of more values than that, with the number of items counted so far. May throw an error of its own.
   */
  assertItems?: (count: number) => void;
  /** Path of a member in which whoever reads it refuses U+0000. */
  checkedLater?: string;
}

/**
 * Parses a JSON text. Its depth, its values and the members of its objects are counted before, in one pass over the
 * bytes, since parsing and checking a body of millions of values would hold up everybody else.
 *
 * @throws {BadRequestError} for what is not JSON in UTF-8
 * @throws {UnprocessableError} for more than 32 levels, too many values, too many members of one object, and U+0000 in a
 *   string or key
 */
export function parseJson(bytes: Buffer, rules: JsonRules = {}): unknown {
  assertBounded(bytes, rules);
  if (!isUtf8(bytes)) throw new BadRequestError('The body is not UTF-8');
  const value = parse(bytes);
  assertNoNull(bytes, value, rules.checkedLater);
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new BadRequestError('The body is not valid JSON');
  }
}

/** Counts outside of strings; the bytes of other characters are never those of ASCII in UTF-8. */
function assertBounded(bytes: Buffer, rules: JsonRules): void {
  const shape = new Shape(rules);
  let index = 0;
  while (index < bytes.length) {
    const byte = bytes[index];
    index += 1;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COMMA) shape.goOn();
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) shape.open(byte === OPEN_OBJECT);
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) shape.close();
  }
}

/** Counts what a JSON text holds, and refuses what exceeds a bound as soon as it does. */
class Shape {
  /** By depth: commas so far of the list or object that is open there, and whether it is an object. */
  readonly #commas = new Uint32Array(MAX_DEPTH + 1);
  readonly #isObject = new Uint8Array(MAX_DEPTH + 1);
  readonly #rules: JsonRules;
  readonly #most: number;
  #depth = 0;
  #values = 0;

  constructor(rules: JsonRules) {
    this.#rules = rules;
    this.#most = rules.values ?? JSON_BOUNDS.batchValues;
  }

  open(isObject: boolean): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw refused(`be nested at most ${MAX_DEPTH} levels deep`);
    this.#commas[this.#depth] = 0;
    this.#isObject[this.#depth] = isObject ? 1 : 0;
    this.#count();
  }

  close(): void {
    this.#depth -= 1;
  }

  /** At a comma, another element or member follows. */
  goOn(): void {
    const count = (this.#commas[this.#depth] ?? 0) + 1;
    this.#commas[this.#depth] = count;
    if (count >= JSON_BOUNDS.members && this.#isObject[this.#depth] === 1) {
      throw refused(`have at most ${JSON_BOUNDS.members} members in an object`);
    }
    this.#count();
  }

  #count(): void {
    this.#values += 1;
    if (this.#values <= this.#most) return;
    if (this.#isObject[ITEM_DEPTH] === 0) this.#rules.assertItems?.((this.#commas[ITEM_DEPTH] ?? 0) + 1);
    throw refused(`hold at most ${this.#most} values`);
  }
}

function refused(rule: string): UnprocessableError {
  return new UnprocessableError(`The body must ${rule}`);
}

/** Behind the closing quote of the string that `index` is in. */
function endOfString(bytes: Buffer, index: number): number {
  let quote = bytes.indexOf(QUOTE, index);
  while (quote >= 0 && isEscaped(bytes, quote, index)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote < 0 ? bytes.length : quote + 1;
}

/** Whether an odd number of backslashes stands before a quote of the string that begins at `start`. */
function isEscaped(bytes: Buffer, quote: number, start: number): boolean {
  let at = quote;
  while (at > start && bytes[at - 1] === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 1;
}
