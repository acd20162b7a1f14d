import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Refusal } from './result.js';

/** Codes of temporary errors, which do not depend on the resource. */
const TEMPORARY = ['service_unavailable', 'rate_limited', 'quota_exceeded', 'internal_error'];

/** Converts an error of the service to an error of the protocol. */
export function protocolError(refusal: Refusal): ProtocolError {
  const isTemporary = refusal.code !== undefined && TEMPORARY.includes(refusal.code);
  const code = isTemporary ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, refusal.error, refusal);
}
