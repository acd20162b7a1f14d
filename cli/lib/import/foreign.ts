import { readFile } from 'node:fs/promises';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../explain-error.js';
import type { Item } from './sender.js';
import type { Entry, Source } from './source.js';

/** What other stores of memories write. */
export const FORMATS = ['chatgpt', 'mem0', 'server-memory', 'supermemory', 'zep'] as const;
export type Format = (typeof FORMATS)[number];

type Json = Readonly<Record<string, unknown>>;

/** Reads a record; none where it holds no memory. */
type Read = (record: Json) => Item[];

/** Members that lists of records are under. */
const LISTS: Readonly<Record<'mem0' | 'supermemory' | 'zep', readonly string[]>> = {
  mem0: ['results', 'memories'],
  supermemory: ['memories', 'memoryEntries', 'documents', 'results'],
  zep: ['facts', 'edges', 'messages', 'episodes', 'items'],
};

/** A mark at the beginning of a line of a list. */
const LIST_MARK = /^\s*(?:[-*•–]|\d{1,3}[.)])\s+/;

/**
 * The memories of a file that another store wrote. Each keeps its time of creation where it has one, and its id there
 * as external key, so that importing again stores nothing twice.
 *
 * @throws {CommandError} for a file of another format
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
  if (!records) throw new CommandError(`${path} is no export of ${format}`, { exit: EXIT.usage });
  const read = { mem0: readMem0, supermemory: readSupermemory, zep: readZep }[format];
  return records.flatMap((record, index) => toEntries(`record ${index + 1}`, record, read));
}

/** One memory a line, without the marks of a list. */
function readPlainLines(text: string): Entry[] {
  return text.split(/\r?\n/).flatMap((line, index): Entry[] => {
    const content = line.replace(LIST_MARK, '').trim();
    return content === '' ? [] : [{ at: `line ${index + 1}`, item: { content, metadata: { source: 'chatgpt' } } }];
  });
}

/** The lines of a knowledge graph: each observation of an entity, and each relation, is a memory. */
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

/** A document has its text, or the entries that were made of it; an entry has its text in `memory`. */
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

/** Metadata is an object, or the text of one. */
function readLabels(metadata: unknown): Json {
  const read = typeof metadata === 'string' ? parse(metadata) : metadata;
  return isObject(read) ? read : {};
}

/** A fact of an edge, a message of a thread, or an episode. */
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
  // Keys that the service has a member for of its own are not taken as metadata.
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
  if (items.length === 0) return [{ at, fault: 'holds no text that could be a memory' }];
  return items.map((item, index) => ({ at: items.length === 1 ? at : `${at}, text ${index + 1}`, item }));
}

/** A list, or the first list under one of these members. */
function recordsOf(value: unknown, members: readonly string[]): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const lists = members.map((member) => value[member]).filter((list) => Array.isArray(list));
  return lists.length === 0 ? undefined : lists.flat();
}

/** A time without a zone is taken for UTC. */
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
