import type { Item } from './sender.js';

/** What is read of a line. An exported memory has more, which the service makes anew: an archive keeps it. */
const FIELDS = ['content', 'createdAt', 'expiresAt', 'externalKey', 'metadata', 'scope', 'subjectKey'] as const;

/** Reads a line: an item of a batch, or a memory as `memory export` writes it. The service checks what it says. */
export function readItem(line: string): { item: Item } | { fault: string } {
  const value = parse(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'not a JSON object' };
  const record = value as Record<string, unknown>;
  if (typeof record.content !== 'string') return { fault: 'has no text in "content"' };
  if (record.deletedAt !== undefined) return { fault: 'is a deleted memory' };
  const known = FIELDS.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]);
  return { item: { ...(Object.fromEntries(known) as Item), ...withoutMirror(record) } };
}

/** The metadata without the keys that an export repeats there with SERVICE_METADATA_MIRROR. */
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
