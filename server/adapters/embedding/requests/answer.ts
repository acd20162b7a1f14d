import { ProviderAnswerError } from './provider-error.js';

/**
 * The vectors of an answer in the shape that OpenAI gave it, `{ data: [{ index,
 * embedding }] }`, in the order of the texts. Unchecked otherwise.
 *
 * @throws {ProviderAnswerError}
 */
export function readData(answer: unknown): unknown[] {
  return readInOrder(answer, 'embedding');
}

/**
 * Like `readData` for lists of texts, of an answer that has another such answer for each list.
 *
 * @throws {ProviderAnswerError}
 */
export function readLists(answer: unknown, lists: readonly (readonly string[])[]): unknown[] {
  const inner = readInOrder(answer, 'data');
  if (inner.length !== lists.length) {
    throw new ProviderAnswerError(`it holds ${inner.length} lists of vectors for ${lists.length} lists of texts`);
  }
  return lists.flatMap((texts, at) => {
    const vectors = readData({ data: inner[at] });
    if (vectors.length === texts.length) return vectors;
    throw new ProviderAnswerError(`it holds ${vectors.length} vectors for a list of ${texts.length} texts`);
  });
}

function readInOrder(answer: unknown, name: 'embedding' | 'data'): unknown[] {
  const data = member(answer, 'data');
  if (!Array.isArray(data)) throw new ProviderAnswerError('it holds no list of vectors');
  const ordered = new Map<number, unknown>();
  data.forEach((item: unknown, position) => {
    const index = member(item, 'index');
    ordered.set(typeof index === 'number' ? index : position, member(item, name));
  });
  return data.map((_item, index) => {
    if (!ordered.has(index)) throw new ProviderAnswerError('its vectors are not numbered one by one');
    return ordered.get(index);
  });
}

/**
 * Reads the scores of an answer of a reranker, `{ data: [{ index, relevance_score }] }`, which are in any order.
 *
 * @returns a score in [0, 1] for each text, in the order of the texts
 * @throws {ProviderAnswerError}
 */
export function readScores(answer: unknown, textCount: number): number[] {
  const data = member(answer, 'data');
  const items: unknown[] = Array.isArray(data) ? data : [];
  const scores = new Map(items.map((item) => [member(item, 'index'), member(item, 'relevance_score')]));
  return Array.from({ length: textCount }, (_, index) => {
    const score = scores.get(index);
    if (typeof score === 'number' && Number.isFinite(score)) return Math.min(1, Math.max(0, score));
    throw new ProviderAnswerError(`it holds no score for one of ${textCount} texts`);
  });
}

/**
 * Checks that an answer holds one usable vector a text, and brings each to length 1.
 *
 * @throws {ProviderAnswerError} saying what is wrong
 */
export function readVectors(answer: readonly unknown[], textCount: number, dimensions: number): Float32Array[] {
  if (answer.length !== textCount) {
    throw new ProviderAnswerError(`it holds ${answer.length} vectors for ${textCount} texts`);
  }
  return answer.map((vector) => readVector(vector, dimensions));
}

function readVector(given: unknown, dimensions: number): Float32Array {
  const vector = typeof given === 'string' ? decodeFloats(given) : given;
  if (!isList(vector)) throw new ProviderAnswerError('it holds something that is no vector');
  if (vector.length !== dimensions) {
    throw new ProviderAnswerError(
      `it holds a vector of ${vector.length} dimensions where ${dimensions} are expected ` +
        '(the model or SERVICE_EMBEDDING_DIMENSIONS does not fit)',
    );
  }
  if (!hasFiniteNumbers(vector))
    throw new ProviderAnswerError('it holds a vector with something that is no finite number');
  const unit = toUnitLength(vector);
  if (!unit) throw new ProviderAnswerError('it holds a vector of length 0');
  return unit;
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || value instanceof Float32Array;
}

function hasFiniteNumbers(vector: ArrayLike<unknown>): vector is ArrayLike<number> {
  for (let index = 0; index < vector.length; index++) {
    if (!Number.isFinite(vector[index])) return false;
  }
  return true;
}

/** Decodes floats of 4 bytes, little-endian, in base64. Undefined if the bytes are none. */
function decodeFloats(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return undefined;
  const vector = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  for (let index = 0; index < vector.length; index++) {
    vector[index] = bytes.readFloatLE(index * Float32Array.BYTES_PER_ELEMENT);
  }
  return vector;
}

/** The vector brought to length 1; undefined when it has no direction. */
export function toUnitLength(vector: ArrayLike<number>): Float32Array | undefined {
  let squares = 0;
  for (let index = 0; index < vector.length; index++) squares += (vector[index] ?? 0) * (vector[index] ?? 0);
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) return undefined;
  const unit = new Float32Array(vector.length);
  for (let index = 0; index < vector.length; index++) unit[index] = (vector[index] ?? 0) / length;
  return unit;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}
