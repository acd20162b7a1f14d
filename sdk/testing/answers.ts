import { HttpResponse, type JsonBodyType } from 'msw';
import { presentWritten } from './batch.js';
import type { exportPage } from './reads.js';
import { refused } from './refusal.js';
import type { Written } from './table.js';

/** A status that the service returns because a test requested it. */
export interface FailedStatus {
  status: 429 | 500 | 503;
  code?: string;
  retryAfter?: number;
}

const FAILURE_CODES = { 429: 'rate_limited', 500: 'internal_error', 503: 'service_unavailable' } as const;

export async function bodyOf(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    throw refused(400, 'invalid_json', 'the body is not JSON');
  }
}

export function written(done: Written): Response {
  return json(presentWritten(done), { status: done.outcome === 'created' ? 201 : 200 });
}

export function toExport({ lines, nextCursor }: ReturnType<typeof exportPage>): Response {
  const next: Record<string, string> = nextCursor === undefined ? {} : { 'X-Next-Cursor': nextCursor };
  return new HttpResponse(lines, { headers: { 'Content-Type': 'application/x-ndjson', ...next } });
}

export function toFailure({ status, code = FAILURE_CODES[status], retryAfter }: FailedStatus): Response {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  return json({ error: 'the test made this request fail', code }, { status, headers });
}

export function json(body: object, init: { status?: number; headers?: Record<string, string> } = {}): Response {
  const headers = { ...init.headers, 'X-Request-Id': crypto.randomUUID() };
  return HttpResponse.json(body as JsonBodyType, { ...init, headers });
}
