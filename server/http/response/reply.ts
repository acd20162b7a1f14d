import type { Operation } from '../contract/contract.js';
import type { AnyReply } from '../contract/route.js';
import { ReadyBody } from '../contract/served-document.js';
import type { Context } from '../request/context.js';

/** Writes a reply, in the media type of its headers, else in the default of the document for its status. */
export function writeReply(ctx: Context, operation: Operation, { status, headers, body }: AnyReply): void {
  ctx.status = status;
  if (headers) ctx.set(headers);
  const [mediaType] = operation.mediaTypes.get(status) ?? [];
  if (mediaType === undefined) {
    ctx.body = null;
    return;
  }
  if (!headers?.['Content-Type']) ctx.set('Content-Type', mediaType);
  if (typeof body === 'string') ctx.body = body;
  else if (body instanceof ReadyBody) ctx.body = body.bytes;
  else ctx.body = JSON.stringify(body);
}
