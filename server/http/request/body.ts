import type { IncomingMessage } from 'node:http';
import rawBody from 'raw-body';
import type { Deps, Limits } from '../../deps.js';
import { BadRequestError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../../errors.js';
import { assertBatchSize } from '../../services/memories/batch.js';
import type { Operation } from '../contract/contract.js';
import { parseJson } from './json.js';
import type { LargeBodies } from './large-bodies.js';

/** The caller went away before its request was whole; there is nobody to answer. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError';
}

/**
 * Reads the body of an operation that has one: its JSON, or its bytes where
 * the operation is signed (`x-raw-body`).
 *
 * @throws {UnavailableError} when too many large bodies are being read
 * @throws {UnsupportedMediaTypeError}
 * @throws {PayloadTooLargeError} `payload_too_large`
 * @throws {BadRequestError} for a missing body and for what is not JSON
 * @throws {UnprocessableError} for JSON that is nested too deeply
 * @throws {ClientGoneError}
 */
export async function readBody(
  request: IncomingMessage,
  operation: Operation,
  limits: Limits,
  largeBodies: LargeBodies,
): Promise<unknown> {
  if (!operation.hasBody) return undefined;
  if (operation.hasRawBody) {
    const limit = operation.id === 'receiveCodeHostEvent' ? limits.codeHostBodyBytes : limits.bodyBytes;
    return largeBodies.admit(request, () => readRawBody(request, limit));
  }
  // Each item of a batch is refused alone, by the rules of a memory.
  if (isBatch(operation)) return readJson(request, limits.batchBodyBytes, 'items');
  return readJson(request, limits.bodyBytes);
}

/**
 * Reads a JSON body of at most `limit` bytes.
 *
 * @param checkedLater path of a member in which whoever reads it refuses U+0000
 * @throws {UnsupportedMediaTypeError}
 * @throws {PayloadTooLargeError} `payload_too_large`
 * @throws {BadRequestError}
 * @throws {UnprocessableError} for JSON that is nested too deeply or holds U+0000
 * @throws {ClientGoneError}
 */
export async function readJson(request: IncomingMessage, limit: number, checkedLater?: string): Promise<unknown> {
  if (hasContent(request)) assertJson(request);
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) throw new BadRequestError('This operation needs a JSON body');
  return parseJson(bytes, checkedLater);
}

/**
 * Reads the body of an operation whose sender signs the bytes. Whether they
 * are JSON is asked only when the signature is known to be right.
 *
 * @throws {UnsupportedMediaTypeError}
 * @throws {PayloadTooLargeError} `payload_too_large`
 * @throws {ClientGoneError}
 */
async function readRawBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (hasContent(request)) assertJson(request);
  return readBytes(request, limit);
}

/**
 * Refuses a batch of too many items before any of them is looked at.
 *
 * @throws {PayloadTooLargeError} `batch_too_large`
 */
export function assertItemCount(deps: Pick<Deps, 'limits'>, operation: Operation, body: unknown): void {
  if (!isBatch(operation) || typeof body !== 'object' || body === null) return;
  const { items } = body as { items?: unknown };
  if (Array.isArray(items)) assertBatchSize(deps, items.length);
}

/** Whether a request carries many items, and so more bytes. */
function isBatch({ id }: Operation): boolean {
  return id === 'ingestMemoryBatch';
}

function hasContent({ headers }: IncomingMessage): boolean {
  if (headers['content-type'] !== undefined || headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > 0;
}

function assertJson({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || charset === 'utf-8' || charset === '"utf-8"' || charset === 'utf8';
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  if (type !== 'application/json' || !isUtf8 || !isPlain) throw new UnsupportedMediaTypeError();
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (!request.readable) throw new ClientGoneError('the connection closed before the body was read');
  try {
    return await rawBody(request, { limit, length: request.headers['content-length'] });
  } catch (error) {
    if ((error as rawBody.RawBodyError).type === 'entity.too.large') {
      throw new PayloadTooLargeError('payload_too_large', `The body may have at most ${limit} bytes`, limit);
    }
    throw new ClientGoneError('the connection closed while the body was read', { cause: error });
  }
}
