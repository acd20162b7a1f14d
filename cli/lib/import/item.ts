import type { Item } from './sender.js';

/** Fields that are read from a line. The service sets the others of an exported memory again; an archive keeps them. */
const FIELDS = ['content', 'createdAt', 'expiresAt', 'externalKey', 'metadata', 'scope', 'subjectKey'] as const;

/** Reads an item of a batch, or a memory from `memory export`. The service validates the fields. */
export function readItem(line: string): { item: Item } | { fault: string } {
  const value = parse(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'is not a JSON object' };
  const record = value as Record<string, unknown>;
  if (typeof record.content !== 'string') return { fault: 'has no string in "content"' };
  if (record.deletedAt !== undefined) return { fault: 'is a deleted memory' };
  const known = FIELDS.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]);
  const distinct = (record.distinct === true || record.dedupe === 'off') && ({ distinct: true } as const);
  return { item: { ...(Object.fromEntries(known) as Item), ...distinct, ...withoutMirror(record) } };
}

/** Returns the metadata without the keys that an export with SERVICE_METADATA_MIRROR repeats there. */
function withoutMirror({ metadata, externalKey, subjectKey }: Record<string, unknown>): Pick<Item, 'metadata'> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return {};
  const isMirrored = ([name, value]: [string, unknown]) =>
    (name === 'externalKey' && value === externalKey) || (name === 'subjectKey' && value === subjectKey);
  return { metadata: Object.fromEntries(Object.entries(metadata).filter((entry) => !isMirrored(entry))) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
