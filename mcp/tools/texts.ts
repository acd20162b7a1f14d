import { isObject } from '../json-schema.js';
import type { Body } from './define.js';

const DATE_CHARS = 'YYYY-MM-DD'.length;
const MINUTE_CHARS = 'YYYY-MM-DDTHH:MM'.length;
/** Scores below it would be written as 0. */
const LEAST_SHOWN_SCORE = 0.005;

/** Returns one line with a content, which therefore cannot imitate another line. */
export function oneLine(text: unknown): string {
  return String(text ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns `- [id] date score content` for each result. Leaves out results whose score is 0. */
export function foundText(body: Body): string {
  const found = entriesOf(body.results).filter(({ score }) => score !== 0);
  if (found.length === 0) return `No memory matches${underFilter(body)}. Try other words or a wider filter.`;
  const lines = found.map((each) => line(each, dateOf(each.createdAt), scoreText(each.score)));
  const isLong = isObject(body.meta) && body.meta.wordsLeftOut === true;
  return joined([...lines, isLong && 'Note: the query has too many words. Use fewer.', remarks(body)]);
}

export function recentText(body: Body): string {
  const newest = entriesOf(body.results);
  if (newest.length === 0) return `There are no memories${underFilter(body)}.`;
  return joined([...newest.map((each) => line(each, dateOf(each.createdAt))), remarks(body)]);
}

export function changesText(body: Body): string {
  const changes = entriesOf(body.changes);
  const hasMore = isObject(body.meta) && body.meta.hasMore === true;
  const next = typeof body.nextCursor === 'string' && `cursor ${body.nextCursor}`;
  return joined([
    ...changes.map((each) => line(each, minuteOf(each.updatedAt), String(each.change))),
    changes.length === 0 && `Nothing has changed${underFilter(body)}.`,
    next && (hasMore ? `More: call again with ${next}` : `That is all. Later, call again with ${next}`),
    remarks(body),
  ]);
}

export function countsText(body: Body): string {
  const meta = isObject(body.meta) ? body.meta : {};
  const facets = isObject(body.facets) ? Object.entries(body.facets) : [];
  const lines = facets.map(([key, values]) => {
    const counts = entriesOf(values).map(({ value, count }) => `${oneLine(value)} ${count}`);
    return counts.length > 0 && `${key}: ${counts.join(', ')}`;
  });
  const some = meta.filtered !== meta.total && `, ${meta.filtered} of them match${underFilter(body)}`;
  const total = meta.total === 1 ? '1 memory' : `${meta.total} memories`;
  return joined([`${total}${some || ''}`, ...lines, remarks(body)]);
}

/** Writes one memory in full, with what the lists leave out. */
export function memoryText(body: Body): string {
  const { id, content, metadata, subjectKey, externalKey, createdAt, updatedAt, expiresAt, offset, nextOffset } = body;
  const isChanged = updatedAt !== createdAt && `changed ${minuteOf(updatedAt)}`;
  const about = [
    `[${id}] ${dateOf(createdAt)}`,
    isChanged,
    body.deletedAt !== undefined && 'deleted',
    expiresAt !== undefined && `expires ${minuteOf(expiresAt)}`,
    subjectKey !== undefined && `subjectKey ${oneLine(subjectKey)}`,
    externalKey !== undefined && `externalKey ${oneLine(externalKey)}`,
    isObject(metadata) && Object.keys(metadata).length > 0 && `metadata ${JSON.stringify(metadata)}`,
    offset !== undefined && `from ${offset}`,
    nextOffset !== undefined && `nextOffset ${nextOffset}`,
  ].filter(isText);
  return joined([about.join(', '), String(content ?? ''), remarks(body)]);
}

/** Writes the outcome of a write. Repeats the content only if it may differ from what was sent. */
export function writtenText({ id, outcome, dedupe, content }: Body): string {
  if (outcome === 'merged_metadata') {
    const likeness = dedupe === 'semantic' ? 'The same fact' : 'The same content';
    return `${likeness} is stored already. Its metadata was merged.\n- [${id}] ${oneLine(content)}`;
  }
  if (outcome === 'deduplicated') return `Stored already: [${id}]`;
  return outcome === 'updated' ? `Changed: [${id}]` : `Stored: [${id}]`;
}

export function batchText(body: Body): string {
  const { ok = 0, failed = 0 } = isObject(body.summary) ? body.summary : {};
  const lines = entriesOf(body.results).map(({ index, id, outcome, error }) =>
    isObject(error) ? `- ${index} failed: ${oneLine(error.message)} (${error.code})` : `- ${index} [${id}] ${outcome}`,
  );
  return joined([`${ok} stored, ${failed} failed`, ...lines, remarks(body)]);
}

export function deletedText({ id }: Body): string {
  return `Deleted: [${id}]. memory_restore undoes it.`;
}

export function restoredText({ id, content }: Body): string {
  return `Restored: [${id}] ${oneLine(content)}`;
}

export function healthText({ status, checks }: Body): string {
  const states = Object.entries(isObject(checks) ? checks : {}).map(
    ([name, check]) => `${name} ${isObject(check) ? check.status : check}`,
  );
  return joined([`Status: ${status}`, states.length > 0 && states.join(', ')]);
}

function line(memory: Body, ...parts: readonly (string | undefined)[]): string {
  const isDeleted = memory.deletedAt !== undefined && memory.change === undefined && '(deleted)';
  const content = memory.content !== undefined && oneLine(memory.content);
  return ['-', `[${memory.id}]`, ...parts, isDeleted, content].filter(isText).join(' ');
}

/** Returns the filter of an empty result, since the model may not have chosen it. */
function underFilter({ scope }: Body): string {
  const filter = isObject(scope) ? scope.filter : undefined;
  return isObject(filter) ? ` with the filter ${JSON.stringify(filter)}` : '';
}

/** Returns what `shorten` left out, and how to read it. */
function remarks({ omitted, note }: Body): string | undefined {
  const missing = typeof omitted === 'number' && omitted > 0 && `${omitted} more are left out.`;
  return joined([missing, typeof note === 'string' && note]) || undefined;
}

function scoreText(score: unknown): string | undefined {
  if (typeof score !== 'number') return undefined;
  return score < LEAST_SHOWN_SCORE ? '<0.01' : score.toFixed(2);
}

function dateOf(time: unknown): string {
  return String(time).slice(0, DATE_CHARS);
}

function minuteOf(time: unknown): string {
  return String(time).slice(0, MINUTE_CHARS);
}

function entriesOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function joined(lines: readonly (string | false | undefined)[]): string {
  return lines.filter(isText).join('\n');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
