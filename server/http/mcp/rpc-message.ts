import type { IncomingMessage } from 'node:http';
import type { Limits } from '../../deps.js';
import { BadRequestError } from '../../errors.js';
import { readJson } from '../request/body.js';

/** Members of one object of a message. What a tool is given is looked at by the service, not here. */
const MAX_MEMBERS = 256;

/**
 * Reads one JSON-RPC message. Its size, its depth and the breadth of what the
 * protocol itself reads are bounded before the protocol looks at it.
 *
 * @throws {BadRequestError} for what is not one JSON object; batches of messages are not taken
 * @throws {UnsupportedMediaTypeError}
 * @throws {PayloadTooLargeError} `payload_too_large`
 * @throws {UnprocessableError} for JSON that is nested too deeply
 */
export async function readRpcMessage(request: IncomingMessage, limits: Limits): Promise<object> {
  // A batch of memories may come as the argument of a tool. What a tool is given is refused by the service.
  const message = await readJson(request, limits.batchBodyBytes, 'params.arguments');
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
