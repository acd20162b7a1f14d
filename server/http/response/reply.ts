import { Readable } from 'node:stream';
import type { Gone } from '../../domain/account/caller.js';
import type { Operation } from '../contract/contract.js';
import type { AnyReply } from '../contract/route.js';
import { ReadyBody } from '../contract/served-document.js';
import { InProcessRequest } from '../request/caller/in-process.js';
import type { Context } from '../request/context.js';
import { hasEnded, onAnswerEnd } from '../request/turns/answer-end.js';
import { isOnePart, jsonSlices } from './json-slices.js';

/**
 * Writes a reply, in the media type of its headers, or else in the default of the document for its status.
 *
 * @param gone ends the work when the caller has left
 */
export async function writeReply(
  ctx: Context,
  operation: Operation,
  { status, headers, body }: AnyReply,
  gone?: Gone,
): Promise<void> {
  ctx.status = status;
  if (headers) ctx.set(headers);
  const [mediaType] = operation.mediaTypes.get(status) ?? [];
  if (mediaType === undefined) {
    ctx.body = null;
    return;
  }
  if (!headers?.['Content-Type']) ctx.set('Content-Type', mediaType);
  if (typeof body === 'string') ctx.body = body;
  else if (body instanceof ReadyBody) writeReady(ctx, body);
  else if (isOnePart(body)) ctx.body = JSON.stringify(body);
  else writeSlices(ctx, await jsonSlices(body, gone));
}

function writeReady(ctx: Context, { bytes, release }: ReadyBody): void {
  ctx.body = bytes;
  if (!release) return;
  if (hasEnded(ctx)) release();
  else onAnswerEnd(ctx, release);
}

/** Passes a large body to the connection in slices, as the caller reads it. */
function writeSlices(ctx: Context, slices: string | readonly Buffer[]): void {
  if (typeof slices === 'string') {
    ctx.body = slices;
    return;
  }
  if (ctx.req instanceof InProcessRequest) {
    ctx.body = Buffer.concat(slices);
    return;
  }
  ctx.body = Readable.from(slices, { objectMode: false });
  ctx.length = slices.reduce((sum, { length }) => sum + length, 0);
}
