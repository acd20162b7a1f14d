import type { Item } from '@langchain/langgraph-checkpoint';
import type { Memory, SubjectKey } from '@memory-service/sdk';
import { asciiJson } from './ascii-json.js';
import { searchText } from './search-text.js';
import { isStorable } from './storable.js';
import { StoreLimitError } from './store-limit-error.js';

/** Bounds of the service: of an external key, and of a text in a filter. */
const MAX_ID_LENGTH = 512;
const MAX_COMPARED_LENGTH = 1_024;
/** Metadata has at most 256 keys of 256 characters. While a value is replaced, the fields of both count. */
const MAX_FIELDS = 100;
const MAX_FIELD_NAME_LENGTH = 250;

/** The parts of a memory that stand for an item. */
export interface StoredItem {
  content: string;
  metadata: Record<string, unknown>;
}

/** Returns the metadata key of a level of the namespace. */
export function levelKey(index: number): string {
  return `ns${index}`;
}

/** Returns the metadata key of a top-level field of the value. */
export function fieldKey(name: string): string {
  return `v:${name}`;
}

/** Reports if a metadata key is one of `fieldKey`. */
export function isFieldKey(key: string): boolean {
  return key.startsWith('v:');
}

/** Returns the id of an item, which is its external key. Ids that are too long become a digest. */
export async function idOf(
  subjectKey: SubjectKey | undefined,
  namespace: readonly string[],
  key: string,
): Promise<string> {
  const id = asciiJson([...(subjectKey === undefined ? [] : [{ subjectKey }]), ...namespace, key]);
  if (id.length <= MAX_ID_LENGTH) return id;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  return `sha256:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Converts an item to a memory.
 *
 * @throws {StoreLimitError} if the value has too many fields
 */
export function toMemory(
  { namespace, key, value }: Pick<Item, 'namespace' | 'key' | 'value'>,
  fields: readonly string[] | false,
): StoredItem {
  const text = fields === false ? '' : searchText(value, fields);
  const levels = namespace.map((label, index) => [levelKey(index), label]);
  return {
    content: text === '' ? [...namespace, key].join('/') : text,
    metadata: {
      namespace,
      key,
      value: asciiJson(value),
      indexed: text !== '',
      ...Object.fromEntries([...levels, ...comparable(value)]),
    },
  };
}

/** Converts a memory back to an item. Returns undefined for a memory that is not from this store. */
export function toItem({ metadata, createdAt, updatedAt }: Memory): Item | undefined {
  const { namespace, key, value } = metadata;
  if (!isLabels(namespace) || typeof key !== 'string' || typeof value !== 'string') return undefined;
  return {
    namespace: [...namespace],
    key,
    value: JSON.parse(value),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

/** Returns the top-level fields that filters can compare. */
function comparable(value: Item['value']): [string, unknown][] {
  // Members without a JSON form are not stored.
  const fields = Object.entries<unknown>(JSON.parse(JSON.stringify(value))).filter(([, each]) => isComparable(each));
  const isTooLong = fields.some(([name]) => name.length > MAX_FIELD_NAME_LENGTH);
  if (fields.length > MAX_FIELDS || isTooLong) {
    throw new StoreLimitError(
      `a value has at most ${MAX_FIELDS} top-level fields with names of at most ${MAX_FIELD_NAME_LENGTH} characters`,
    );
  }
  return fields.map(([name, each]) => [fieldKey(name), each]);
}

function isComparable(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_COMPARED_LENGTH && isStorable(value);
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return value === null || typeof value === 'boolean';
}

function isLabels(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((label) => typeof label === 'string');
}
