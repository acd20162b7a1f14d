import type { Memory, Scope, Written } from '../../domain/memory/memory.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { NotFoundError, type ServiceError } from '../../errors.js';
import { changeOf } from '../../services/reading/reads.js';
import type { SearchMatch } from '../../services/reading/search-modes.js';
import type { BatchResult } from '../../services/writing/batch.js';
import type { ImportResult } from '../../services/writing/import.js';
import type * as wire from '../contract/wire.js';

export interface PresentOptions {
  /** If true, `metadata` also contains the external key and the subject key, for older clients. */
  metadataMirror: boolean;
}

/**
 * Returns a memory in the form of the contract. Adds the members one by one in its order, since a literal with spreads
 * takes some twenty times as long, and a page has many memories.
 */
export function presentMemory(memory: Memory, { metadataMirror }: PresentOptions): wire.Memory {
  const { externalKey, subjectKey, deletedAt, expiresAt } = memory;
  const metadata = metadataMirror ? mirrored(memory) : memory.metadata;
  const presented: Partial<wire.Memory> = { id: memory.id, content: memory.content, metadata };
  if (externalKey !== undefined) presented.externalKey = externalKey;
  if (subjectKey !== undefined) presented.subjectKey = subjectKey;
  const scope = presentScope(memory.scope);
  if (scope) presented.scope = scope;
  presented.createdAt = formatTimestamp(memory.createdAt);
  presented.updatedAt = formatTimestamp(memory.updatedAt);
  if (deletedAt !== undefined) presented.deletedAt = formatTimestamp(deletedAt);
  if (expiresAt !== undefined) presented.expiresAt = formatTimestamp(expiresAt);
  if (memory.distinct) presented.distinct = memory.distinct;
  return presented as wire.Memory;
}

function mirrored({ metadata, externalKey, subjectKey }: Memory): Memory['metadata'] {
  return {
    ...metadata,
    ...(externalKey !== undefined && { externalKey }),
    ...(subjectKey !== undefined && { subjectKey }),
  };
}

/** Returns the keys that are set; undefined if none is. */
export function presentScope({ source, project }: Scope): wire.Scope | undefined {
  if (source === '' && project === '') return undefined;
  const scope: wire.Scope = {};
  if (source !== '') scope.source = source;
  if (project !== '') scope.project = project;
  return scope;
}

export function presentWritten({ memory, outcome, dedupe }: Written, options: PresentOptions): wire.WrittenMemory {
  const written: wire.WrittenMemory = Object.assign(presentMemory(memory, options), { outcome });
  if (dedupe !== undefined) written.dedupe = dedupe;
  return written;
}

export function presentMatch(match: SearchMatch, options: PresentOptions): wire.SearchResult {
  const { memory, score, similarity, relevance, explanation, group } = match;
  const result: wire.SearchResult = Object.assign(presentMemory(memory, options), { score });
  if (similarity !== undefined) result.similarity = similarity;
  if (relevance !== undefined) result.relevance = relevance;
  if (explanation) result.explanation = explanation;
  if (group) result.group = group;
  return result;
}

/** Returns a change. For a deleted memory it contains only that it is deleted. */
export function presentChange(memory: Memory, options: PresentOptions): wire.ActiveChange | wire.DeletedChange {
  const change = changeOf(memory);
  const { id, deletedAt, updatedAt, purgedAt } = memory;
  if (change === 'deleted' && deletedAt !== undefined) {
    return {
      id,
      deletedAt: formatTimestamp(deletedAt),
      updatedAt: formatTimestamp(updatedAt),
      change,
      ...(purgedAt !== undefined && { purgedAt: formatTimestamp(purgedAt) }),
    };
  }
  return Object.assign(presentMemory(memory, options), {
    change: change === 'created' ? 'created' : 'updated',
  } as const);
}

export function presentBatch(results: readonly BatchResult[], options: PresentOptions): wire.BatchResponse {
  const ok = results.filter((result) => 'written' in result).length;
  return {
    results: results.map((result) => presentBatchResult(result, options)),
    summary: { ok, failed: results.length - ok },
  };
}

export function presentImport(results: readonly ImportResult[]): wire.ImportResponse {
  const failed = results.filter((result) => 'error' in result).length;
  return {
    results: results.map((result) =>
      'error' in result ? { index: result.index, error: presentItemError(result.error) } : result,
    ),
    summary: { ok: results.length - failed, failed },
  };
}

function presentBatchResult(result: BatchResult, options: PresentOptions): wire.BatchSuccess | wire.BatchFailure {
  const { index } = result;
  if ('written' in result) return { index, ...presentWritten(result.written, options) };
  return { index, error: presentItemError(result.error) };
}

function presentItemError(error: ServiceError): wire.BatchFailure['error'] {
  const { code = 'not_found', message } = error;
  const deletedMemoryId = error instanceof NotFoundError ? error.deletedMemoryId : undefined;
  return { code, message, ...(deletedMemoryId !== undefined && { deletedMemoryId }) };
}
