import { JSON_BOUNDS } from '../../../domain/fairness/bounds.js';
import { UnprocessableError } from '../../../errors.js';

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Depth of the elements of a list in the body, which are the items of a batch. */
const ITEM_DEPTH = 2;

export interface ShapeRules {
  /** Maximum number of all values. */
  values?: number;
  /** Called if a body has more values, with the number of items so far. May throw a more precise error. */
  assertItems?: (count: number) => void;
}

/**
 * Counts the values of a JSON text while its bytes arrive, and rejects it as soon as it exceeds a limit. It reads
 * each byte once: in UTF-8, bytes of other characters are never ASCII.
 */
export class JsonShape {
  /** Indexed by depth: the commas so far of the open list or object, and whether it is an object. */
  readonly #commas = new Uint32Array(MAX_DEPTH + 1);
  readonly #isObject = new Uint8Array(MAX_DEPTH + 1);
  readonly #rules: ShapeRules;
  readonly #maxValues: number;
  #depth = 0;
  #values = 0;
  #isInString = false;
  /** True if the last chunk ended in a backslash, which escapes the next byte. */
  #isEscapeOpen = false;

  constructor(rules: ShapeRules) {
    this.#rules = rules;
    this.#maxValues = rules.values ?? JSON_BOUNDS.batchValues;
  }

  /** @throws {UnprocessableError} for more than 32 levels, too many values, and too many members of one object */
  take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const text = new StringText(bytes);
    let index = this.#isEscapeOpen ? 1 : 0;
    this.#isEscapeOpen = false;
    for (; index < bytes.length; index += 1) {
      if (this.#isInString) index = text.endFrom(index);
      const byte = bytes[index];
      if (!this.#isInString) this.#readStructure(byte);
      else if (byte === QUOTE) this.#isInString = false;
      else if (byte === BACKSLASH) {
        index += 1;
        this.#isEscapeOpen = index === bytes.length;
      }
    }
  }

  #readStructure(byte: number | undefined): void {
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === COMMA) this.#countComma();
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#open(byte === OPEN_OBJECT);
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) this.#depth -= 1;
  }

  #open(isObject: boolean): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw refused(`be nested at most ${MAX_DEPTH} levels deep`);
    this.#commas[this.#depth] = 0;
    this.#isObject[this.#depth] = isObject ? 1 : 0;
    this.#count();
  }

  /** Counts a comma: another element or member follows. */
  #countComma(): void {
    const count = (this.#commas[this.#depth] ?? 0) + 1;
    this.#commas[this.#depth] = count;
    if (count >= JSON_BOUNDS.members && this.#isObject[this.#depth] === 1) {
      throw refused(`have at most ${JSON_BOUNDS.members} members in an object`);
    }
    this.#count();
  }

  #count(): void {
    this.#values += 1;
    if (this.#values <= this.#maxValues) return;
    if (this.#isObject[ITEM_DEPTH] === 0) this.#rules.assertItems?.((this.#commas[ITEM_DEPTH] ?? 0) + 1);
    throw refused(`contain at most ${this.#maxValues} values`);
  }
}

function refused(rule: string): UnprocessableError {
  return new UnprocessableError(`The body must ${rule}`);
}

/** Bytes of a string that are read one by one before a search for its end, which costs as much. */
const MAX_SINGLE_READS = 32;

/** Finds the ends of plain text in strings. It is fast for texts with many escapes and for texts with none. */
class StringText {
  readonly #bytes: Buffer;
  /** Results of the last search: the first quote and the first backslash. */
  #quote = -1;
  #backslash = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns the index of the next quote or backslash, or the length if there is none. */
  endFrom(start: number): number {
    const bytes = this.#bytes;
    const near = Math.min(start + MAX_SINGLE_READS, bytes.length);
    for (let index = start; index < near; index += 1) {
      if (bytes[index] === QUOTE || bytes[index] === BACKSLASH) return index;
    }
    if (this.#quote < near) this.#quote = this.#search(QUOTE, near);
    if (this.#backslash < near) this.#backslash = this.#search(BACKSLASH, near);
    return Math.min(this.#quote, this.#backslash);
  }

  #search(byte: number, from: number): number {
    const index = this.#bytes.indexOf(byte, from);
    return index < 0 ? this.#bytes.length : index;
  }
}
