import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Refusal } from './result.js';

/** Refusals that say nothing about the resource. */
const TEMPORARY = ['service_unavailable', 'rate_limited', 'quota_exceeded', 'internal_error'];

/** A refusal of the service as an error of the protocol. */
export function protocolError(refusal: Refusal): ProtocolError {
  const isTemporary = refusal.code !== undefined && TEMPORARY.includes(refusal.code);
  const code = isTemporary ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, refusal.error, refusal);
}
