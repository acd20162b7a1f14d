import { readFile } from 'node:fs/promises';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';
import type { Item } from './sender.js';
import type { Entry, Source } from './source.js';

/** Export formats of other memory stores. */
export const FORMATS = ['chatgpt', 'mem0', 'server-memory', 'supermemory', 'zep'] as const;
export type Format = (typeof FORMATS)[number];

type Json = Readonly<Record<string, unknown>>;

/** Reads the memories of a record, which may be none. */
type Read = (record: Json) => Item[];

/** Members that contain the list of records. */
const LISTS: Readonly<Record<'mem0' | 'supermemory' | 'zep', readonly string[]>> = {
  mem0: ['results', 'memories'],
  supermemory: ['memories', 'memoryEntries', 'documents', 'results'],
  zep: ['facts', 'edges', 'messages', 'episodes', 'items'],
};

/** The bullet or number at the start of a list item. */
const LIST_MARK = /^\s*(?:[-*•–]|\d{1,3}[.)])\s+/;

/**
 * Reads the memories of a file that another store wrote. Each keeps its time of creation, if any. Its id becomes the
 * external key, so that a second import stores nothing twice.
 *
 * @throws {CommandError} if the file has another format
 */
export async function openForeign(path: string, format: Format): Promise<Source> {
  const text = await readText(path);
  const entries = entriesOf(text, format, path);
  return {
    entries: async function* () {
      yield* entries;
    },
    total: entries.length,
  };
}

function entriesOf(text: string, format: Format, path: string): Entry[] {
  if (format === 'chatgpt') return readPlainLines(text);
  if (format === 'server-memory') return readGraph(text);
  const records = recordsOf(parse(text), LISTS[format]);
  if (!records) throw new CommandError(`${path} is not an export of ${format}`, { exit: EXIT.usage });
  const read = { mem0: readMem0, supermemory: readSupermemory, zep: readZep }[format];
  return records.flatMap((record, index) => toEntries(`record ${index + 1}`, record, read));
}

/** Reads one memory per line, without list marks. */
function readPlainLines(text: string): Entry[] {
  return text.split(/\r?\n/).flatMap((line, index): Entry[] => {
    const content = line.replace(LIST_MARK, '').trim();
    return content === '' ? [] : [{ at: `line ${index + 1}`, item: { content, metadata: { source: 'chatgpt' } } }];
  });
}

/** Reads a knowledge graph. Each observation of an entity and each relation becomes a memory. */
function readGraph(text: string): Entry[] {
  return text.split(/\r?\n/).flatMap((line, index): Entry[] => {
    if (line.trim() === '') return [];
    return toEntries(`line ${index + 1}`, parse(line), readGraphRecord);
  });
}

function readGraphRecord(record: Json): Item[] {
  const source = 'server-memory';
  if (record.type === 'relation') {
    const { from, to, relationType } = record;
    if (![from, to, relationType].every((part) => typeof part === 'string')) return [];
    const content = `${from} ${String(relationType).replaceAll('_', ' ')} ${to}`;
    return [{ content, metadata: { source, kind: 'relation', from, to, relationType } }];
  }
  const { name, entityType, observations } = record;
  if (record.type !== 'entity' || typeof name !== 'string' || !Array.isArray(observations)) return [];
  const texts = observations.filter((observation) => typeof observation === 'string');
  const metadata = { source, kind: 'observation', entity: name, ...(entityType !== undefined && { entityType }) };
  return texts.map((observation) => ({ content: `${name}: ${observation}`, metadata }));
}

function readMem0(record: Json): Item[] {
  const { id, memory, created_at, metadata, categories, user_id, agent_id, run_id } = record;
  const labels = {
    ...(isObject(metadata) && metadata),
    ...given({ categories, userId: user_id, agentId: agent_id, runId: run_id }),
  };
  return itemOf('mem0', { id, content: memory, createdAt: created_at, labels });
}

/** Reads a document, which has a text or entries. The text of an entry is in `memory`. */
function readSupermemory(record: Json): Item[] {
  if (record.isForgotten === true) return [];
  const { memoryEntries, id, memory, content, summary, title, metadata, containerTags, url, type } = record;
  const entries = Array.isArray(memoryEntries) ? memoryEntries.filter(isObject).flatMap(readSupermemory) : [];
  if (entries.length > 0) return entries;
  const { customId, createdAt = record.created_at, forgetAfter } = record;
  const labels = {
    ...readLabels(metadata),
    ...given({ containerTags, customId, title, url, kind: type, forgetAfter }),
  };
  return itemOf('supermemory', { id, content: memory ?? content ?? summary ?? title, createdAt, labels });
}

/** Reads metadata, which is an object or the JSON text of one. */
function readLabels(metadata: unknown): Json {
  const read = typeof metadata === 'string' ? parse(metadata) : metadata;
  return isObject(read) ? read : {};
}

/** Reads a fact of an edge, a message of a thread, or an episode. */
function readZep(record: Json): Item[] {
  const { uuid, fact, content, name, role, created_at, valid_at, invalid_at, expired_at, metadata, attributes } =
    record;
  const labels = {
    ...(isObject(attributes) && attributes),
    ...(isObject(metadata) && metadata),
    ...given({ name, role, validAt: valid_at, invalidAt: invalid_at, expiredAt: expired_at }),
  };
  return itemOf('zep', { id: uuid, content: fact ?? content, createdAt: created_at, labels });
}

function itemOf(
  source: Format,
  { id, content, createdAt, labels }: { id: unknown; content: unknown; createdAt: unknown; labels: Json },
): Item[] {
  if (typeof content !== 'string') return [];
  const time = toTime(createdAt);
  // These keys are fields of a memory, so they do not become metadata.
  const {
    externalKey: _,
    subjectKey: __,
    ...metadata
  } = labels as Json & { externalKey?: unknown; subjectKey?: unknown };
  return [
    {
      content,
      metadata: { ...metadata, source },
      ...(typeof id === 'string' && { externalKey: id, scope: { source } }),
      ...(time !== undefined && { createdAt: time }),
    },
  ];
}

function toEntries(at: string, record: unknown, read: Read): Entry[] {
  const items = isObject(record) ? read(record) : [];
  if (items.length === 0 && isObject(record) && record.isForgotten === true) return [];
  if (items.length === 0) return [{ at, fault: 'contains no text for a memory' }];
  return items.map((item, index) => ({ at: items.length === 1 ? at : `${at}, text ${index + 1}`, item }));
}

/** Returns a list, or the joined lists under these members. */
function recordsOf(value: unknown, members: readonly string[]): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const lists = members.map((member) => value[member]).filter((list) => Array.isArray(list));
  return lists.length === 0 ? undefined : lists.flat();
}

/** Parses a time. Without a zone it is in UTC. */
function toTime(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value) || !value.includes('T') ? value : `${value}Z`;
  const time = new Date(zoned);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function given(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
}
