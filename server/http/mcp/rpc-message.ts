import type { Limits } from '../../deps.js';
import { JSON_BOUNDS } from '../../domain/fairness/bounds.js';
import { BadRequestError, PayloadTooLargeError } from '../../errors.js';
import { readJsonBytes } from '../request/body/body.js';
import { parseJson } from '../request/body/json.js';
import type { Context } from '../request/context.js';
import type { RequestShares } from '../request/turns/request-shares.js';

/** Members of one object of a message. Arguments of tools are checked by the service, not here. */
const MAX_MEMBERS = 256;

/** Name of the batch tool, as its call contains it. */
const BATCH_TOOL = Buffer.from('"memory_ingest_batch"');

/**
 * Reads one JSON-RPC message. Its size, its depth and its breadth outside of arguments are limited before the
 * protocol library reads it. Only a call of the batch tool may be as large as a batch.
 *
 * @throws {BadRequestError} for anything but one JSON object; batches of messages are not accepted
 * @throws {UnprocessableError} for JSON that is too deep or too large
 */
export async function readRpcMessage(ctx: Context, limits: Limits, shares: RequestShares): Promise<object> {
  const bytes = await readJsonBytes(ctx, limits.batchBodyBytes, shares, {});
  const isBatch = bytes.includes(BATCH_TOOL);
  if (bytes.length > limits.bodyBytes && !isBatch) {
    const { bodyBytes: max } = limits;
    throw new PayloadTooLargeError('payload_too_large', `The body may have at most ${max} bytes`, max);
  }
  // The service checks the arguments of a tool.
  const message = parseJson(bytes, { ...(!isBatch && JSON_BOUNDS), checkedLater: 'params.arguments' });
  if (!isObject(message)) throw new BadRequestError('Send one JSON-RPC message: a JSON object, not a batch');
  const { params } = message;
  const read = [message, params, ...(isObject(params) ? Object.values(params) : [])].filter(isObject);
  if (read.some((object) => Object.keys(object).length > MAX_MEMBERS)) {
    throw new BadRequestError(`An object of a JSON-RPC message may have at most ${MAX_MEMBERS} members`);
  }
  return message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
