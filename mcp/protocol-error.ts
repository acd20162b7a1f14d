import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { Refusal } from './result.js';

/** Refusals that say nothing about the resource. */
const TEMPORARY = ['service_unavailable', 'rate_limited', 'quota_exceeded', 'internal_error'];

/** The code of the protocol for a resource that is not there, or not for this caller. */
const RESOURCE_NOT_FOUND = -32_002;

/** An error of the protocol. (The library's own class repeats its code in its text.) */
export class ProtocolError extends Error {
  override name = 'ProtocolError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }

  /** Nothing there: the same for what does not exist and for what belongs to somebody else. */
  static notFound(): ProtocolError {
    return ProtocolError.ofRefusal({ error: 'Not found' });
  }

  static ofRefusal(refusal: Refusal): ProtocolError {
    const isTemporary = refusal.code !== undefined && TEMPORARY.includes(refusal.code);
    return new ProtocolError(isTemporary ? ErrorCode.InternalError : RESOURCE_NOT_FOUND, refusal.error, refusal);
  }
}
