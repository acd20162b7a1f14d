import type { Answer } from './answer.js';
import type { Contract } from './contract.js';
import type { Judgement } from './paced.js';
import { readMessage, toData } from './tool-message.js';

/** The operation of each tool that counts against a limit (4.13). */
const OPERATIONS: Readonly<Record<string, string>> = {
  memory_ingest: 'ingestMemory',
  memory_upsert: 'upsertMemory',
  memory_ingest_batch: 'ingestMemoryBatch',
  memory_search: 'searchMemories',
  memory_stats: 'getMemoryStats',
  memory_changes: 'listMemoryChanges',
  memory_recent: 'listRecentMemories',
  memory_get: 'getMemory',
  memory_update: 'updateMemory',
  memory_delete: 'deleteMemory',
  memory_restore: 'restoreMemory',
};
/** Resources are read by it. */
const EXPORT = 'exportMemories';
/** Refused before the limits are looked at. */
const UNCOUNTED: readonly unknown[] = ['unauthenticated', 'organization_forbidden', 'ability_denied'];
const WINDOW_SECONDS = 60;

/** The class of limits that a request at /mcp counts against, if any. */
export function limitClassOf(
  { operations }: Contract,
  method: string,
  params: Readonly<Record<string, unknown>>,
): string | undefined {
  const operation = method === 'resources/read' ? EXPORT : OPERATIONS[String(params.name)];
  return operations.find(({ operationId }) => operationId === operation)?.rateLimitClass;
}

/** Reads the limits from an answer of the tool interface. */
export function judgeMessage(answer: Answer): Judgement {
  if (answer.status !== 200) return { isFree: true };
  const { result = {}, error } = readMessage(answer);
  const refusal = (error?.data ?? (result.isError === true ? toData(result) : {})) as Record<string, unknown>;
  if (refusal.code !== 'rate_limited') return { isFree: UNCOUNTED.includes(refusal.code) };
  return { retryAfter: Number(refusal.retryAfter ?? WINDOW_SECONDS), isFree: false };
}
