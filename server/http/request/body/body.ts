import type { IncomingMessage } from 'node:http';
import type { Deps, Limits } from '../../../deps.js';
import { JSON_BOUNDS } from '../../../domain/fairness/bounds.js';
import type { InboundKind } from '../../../domain/inbound/inbound-webhook.js';
import { BadRequestError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../../../errors.js';
import { countRefusedBody } from '../../../services/inbound/inbound-refusals.js';
import { assertBatchSize } from '../../../services/writing/batch.js';
import type { Operation } from '../../contract/contract.js';
import type { Context } from '../context.js';
import type { RequestShares } from '../turns/request-shares.js';
import { parseCounted } from './json.js';
import { JsonShape, type ShapeRules } from './json-shape.js';

/**
 * Reads the body of an operation, if it has one. Returns its JSON, or its bytes if the sender signs them
 * (`x-raw-body`). Signed bytes are parsed only after their signature is verified.
 *
 * @throws {PayloadTooLargeError} `payload_too_large`, or `batch_too_large` for a batch of too many values
 * @throws {BadRequestError} for a missing body, and for one that is not JSON
 * @throws {UnprocessableError} for JSON that is too deep or too large
 */
export async function readBody(
  ctx: Context,
  operation: Operation,
  limits: Limits,
  shares: RequestShares,
): Promise<unknown> {
  if (!operation.hasBody) return undefined;
  if (operation.hasRawBody) {
    const limit = operation.id === 'receiveCodeHostEvent' ? limits.codeHostBodyBytes : limits.bodyBytes;
    assertJson(ctx.req);
    return shares.readBody(ctx, limit);
  }
  if (!isBatch(operation)) return parseCounted(await readJsonBytes(ctx, limits.bodyBytes, shares, JSON_BOUNDS));
  const assertItems = (count: number) => assertBatchSize({ limits }, count);
  const bytes = await readJsonBytes(ctx, limits.batchBodyBytes, shares, { assertItems });
  // Each item of a batch is checked, and rejected, separately.
  return parseCounted(bytes, { checkedLater: 'items' });
}

/** Operations of senders, and the kinds of their webhooks. */
const SENDERS: Readonly<Record<string, InboundKind>> = {
  receiveCodeHostEvent: 'codehost',
  receiveTrackerEvent: 'tracker',
};

/** Counts the request of a sender whose body was refused for its type or its size. */
export async function countRefusal(
  deps: Pick<Deps, 'store' | 'inboundRefusals' | 'now'>,
  { id }: Operation,
  { webhookId }: { webhookId?: string },
  error: unknown,
): Promise<void> {
  const kind = SENDERS[id];
  if (kind === undefined || webhookId === undefined) return;
  if (!(error instanceof UnsupportedMediaTypeError || error instanceof PayloadTooLargeError)) return;
  // The request is refused for its body, also while the store cannot say whose it is.
  await countRefusedBody(deps, { kind, webhookId }).catch(() => {});
}

/**
 * Reads the bytes of a JSON body, at most `limit`, and counts their values as they arrive.
 *
 * @throws {PayloadTooLargeError} `payload_too_large`
 * @throws {BadRequestError} for a missing body
 * @throws {UnprocessableError} for JSON that is too deep or too large
 */
export async function readJsonBytes(
  ctx: Context,
  limit: number,
  shares: RequestShares,
  rules: ShapeRules,
): Promise<Buffer> {
  assertJson(ctx.req);
  const bytes = await shares.readBody(ctx, limit, new JsonShape(rules));
  if (bytes.length === 0) throw new BadRequestError('This operation needs a JSON body');
  return bytes;
}

/**
 * Rejects a batch of too many items before any of them is checked.
 *
 * @throws {PayloadTooLargeError} `batch_too_large`
 */
export function assertItemCount(deps: Pick<Deps, 'limits'>, operation: Operation, body: unknown): void {
  if (!isBatch(operation) || typeof body !== 'object' || body === null) return;
  const { items } = body as { items?: unknown };
  if (Array.isArray(items)) assertBatchSize(deps, items.length);
}

/** Reports if a request contains many items, and so may have more bytes. */
function isBatch({ id }: Operation): boolean {
  return id === 'ingestMemoryBatch' || id === 'importMemories';
}

function hasContent({ headers }: IncomingMessage): boolean {
  if (headers['content-type'] !== undefined || headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > 0;
}

/** Accepts any request without content. */
function assertJson(request: IncomingMessage): void {
  if (!hasContent(request)) return;
  const { headers } = request;
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined) return;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || charset === 'utf-8' || charset === '"utf-8"' || charset === 'utf8';
  if (type !== 'application/json' || !isUtf8) throw new UnsupportedMediaTypeError();
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new UnsupportedMediaTypeError('Leave out the header Content-Encoding: compressed bodies are not accepted');
  }
}
