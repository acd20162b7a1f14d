import { listDocumentsBounds } from '../generated/constants.gen.js';
import type { Document, DocumentGap, DocumentSummary, DocumentsPage, SubjectKey } from '../generated/types.gen.js';
import { type MemoryRecord, presentMemory } from './record.js';
import { invalid, notFound } from './refusal.js';
import { assertSubjectKey, readLimit, type SubjectKeyType } from './validate.js';

/** The active memories of one document, with the last changed one at the end. */
type Memories = [MemoryRecord, ...MemoryRecord[]];

const MAX_GAPS = 100;

export function listDocuments(
  records: readonly MemoryRecord[],
  query: URLSearchParams,
  type: SubjectKeyType,
): DocumentsPage {
  const limit = readLimit(query.get('limit'), listDocumentsBounds.limit);
  const cursor = query.get('cursor');
  const subjectKey = readSubjectKey(query, type);
  const keyed = [...groups(records)]
    .filter(([, [first]]) => subjectKey === undefined || first.subjectKey === subjectKey)
    .map(([name, memories]) => ({ place: inHex(name), cursor: cursorOf(name), memories }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));
  const after = cursor === null ? -1 : keyed.findIndex((each) => each.cursor === cursor);
  if (cursor !== null && after < 0) throw invalid('cursor', 'must be the value that the previous page gave');
  const page = keyed.slice(after + 1, after + 1 + limit);
  const hasMore = after + 1 + limit < keyed.length;
  const last = page.at(-1);
  return {
    documents: page.map(({ memories }) => summarize(memories)),
    meta: { count: page.length, hasMore },
    ...(hasMore && last && { nextCursor: last.cursor }),
  };
}

export function readDocument(memories: Memories, query: URLSearchParams): Document {
  const from = Number(query.get('from') ?? 0);
  if (!Number.isInteger(from) || from < 0) throw invalid('from', 'must be an integer of at least 0');
  const summary = summarize(memories);
  const chunks = shown(memories).filter((record) => indexOf(record) >= from);
  const parts: string[] = [];
  let expected = from;
  for (const record of chunks) {
    const index = indexOf(record);
    if (index > expected) parts.push(gapText(expected, index - 1, summary.chunkTotal));
    parts.push(record.content);
    expected = index + 1;
  }
  if (expected < summary.chunkTotal) parts.push(gapText(expected, summary.chunkTotal - 1, summary.chunkTotal));
  return { ...summary, content: parts.join(''), memoryIds: chunks.map(({ id }) => id) };
}

/** Returns the document without a subject, or otherwise the only one. @throws {Refusal} 404, 422 */
export function findDocument(
  records: readonly MemoryRecord[],
  documentId: string,
  query: URLSearchParams,
  type: SubjectKeyType,
): Memories {
  const subjectKey = readSubjectKey(query, type);
  const found = [...groups(records).values()].filter(([first]) => first.metadata.documentId === documentId);
  const exact = found.find(([first]) => first.subjectKey === subjectKey);
  if (exact) return exact;
  const [only] = subjectKey === undefined ? found : [];
  if (!only) throw notFound();
  if (found.length > 1) throw invalid('subjectKey', 'is required: several subjects have a document with this id');
  return only;
}

function readSubjectKey(query: URLSearchParams, type: SubjectKeyType): SubjectKey | undefined {
  const text = query.get('subjectKey');
  if (text === null) return undefined;
  const value = type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
  assertSubjectKey(value, 'subjectKey', type);
  return value;
}

/** Groups memories by the text of the subject key and the documentId. */
function groups(records: readonly MemoryRecord[]): Map<string, Memories> {
  const found = new Map<string, Memories>();
  for (const record of [...records].sort((one, other) => one.updatedAt - other.updatedAt)) {
    const { subjectKey, metadata } = record;
    if (record.deletedAt !== undefined || metadata.chunkIndex === undefined) continue;
    const subject = subjectKey === undefined ? '' : `${typeof subjectKey === 'number' ? 'i' : 's'}:${subjectKey}`;
    const name = JSON.stringify([subject, metadata.documentId]);
    const others = found.get(name);
    if (others) others.push(record);
    else found.set(name, [record]);
  }
  return found;
}

function summarize(memories: Memories): DocumentSummary {
  const newest = memories.at(-1) ?? memories[0];
  const { subjectKey, scope, updatedAt } = presentMemory(newest);
  const chunks = shown(memories);
  const chunkTotal = Number(newest.metadata.chunkTotal);
  return {
    documentId: String(newest.metadata.documentId),
    ...(subjectKey !== undefined && { subjectKey }),
    ...(scope && { scope }),
    chunkTotal,
    chunks: chunks.length,
    missing: chunkTotal - chunks.length,
    gaps: gapsOf(chunks.map(indexOf), chunkTotal),
    memories: memories.length,
    bytes: chunks.reduce((sum, { content }) => sum + new TextEncoder().encode(content).length, 0),
    createdAt: memories.map((record) => presentMemory(record).createdAt).sort()[0] ?? updatedAt,
    updatedAt,
  };
}

/** Returns the memories of the chunks, in order. */
function shown(memories: Memories): MemoryRecord[] {
  const total = Number(memories.at(-1)?.metadata.chunkTotal);
  const byIndex = new Map(memories.map((record) => [indexOf(record), record]));
  return [...byIndex.values()]
    .filter((record) => indexOf(record) < total)
    .sort((one, other) => indexOf(one) - indexOf(other));
}

function indexOf({ metadata }: MemoryRecord): number {
  return Number(metadata.chunkIndex);
}

function gapsOf(indexes: readonly number[], total: number): DocumentGap[] {
  const ends = [...indexes, total];
  const gaps = ends.map((index, at) => ({ first: (ends[at - 1] ?? -1) + 1, last: index - 1 }));
  return gaps.filter(({ first, last }) => first <= last).slice(0, MAX_GAPS);
}

function gapText(first: number, last: number, total: number): string {
  const which = first === last ? `chunk ${first} is` : `chunks ${first} to ${last} are`;
  return `\n[${which} missing: chunks are counted from 0 and there are ${total}]\n`;
}

/** Compares by the UTF-8 bytes of the subject, then of the documentId. */
function inHex(name: string): string {
  const hex = (text: string) =>
    Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return (JSON.parse(name) as string[]).map(hex).join('!');
}

function cursorOf(name: string): string {
  const bytes = new TextEncoder().encode(name);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
