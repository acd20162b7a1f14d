import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { BadRequestError } from '../errors.js';

/** A connection for one message and the answer to it: Streamable HTTP without sessions or streams is no more than that. */
class Exchange implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  private answer: (message: JSONRPCMessage) => void = () => undefined;
  readonly answered = new Promise<JSONRPCMessage>((resolve) => {
    this.answer = resolve;
  });

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    // What else a server may send needs a stream, and is for callers who have one.
    if ('id' in message && !('method' in message)) this.answer(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

/**
 * Gives a server one message and waits for its answer. Undefined for a message
 * that asks for none.
 *
 * @param hangUp ends the work when the caller is gone
 * @throws {BadRequestError} for what is no message of the protocol
 */
export async function exchange(
  server: Server,
  message: unknown,
  hangUp: (end: () => void) => void,
): Promise<JSONRPCMessage | undefined> {
  const parsed = JSONRPCMessageSchema.safeParse(message);
  if (!parsed.success) throw new BadRequestError('The body is not a JSON-RPC 2.0 message');
  const connection = new Exchange();
  await server.connect(connection);
  hangUp(() => void server.close());
  connection.onmessage?.(parsed.data);
  return isJSONRPCRequest(parsed.data) ? connection.answered : undefined;
}

/** The code of the protocol for a version that a server does not speak. */
const UNSUPPORTED_VERSION = -32_022;

/**
 * What to answer to a caller that says it speaks another version; undefined
 * where all is well. One that says none speaks the version from before there
 * was a header.
 */
export function refuseVersion(version: string | undefined): object | undefined {
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const message = `Unsupported protocol version: this server speaks ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`;
  return {
    jsonrpc: '2.0',
    id: null,
    error: { code: UNSUPPORTED_VERSION, message, data: { supported: SUPPORTED_PROTOCOL_VERSIONS } },
  };
}
