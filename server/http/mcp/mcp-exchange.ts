import type { IncomingHttpHeaders } from 'node:http';
import {
  classifyInboundRequest,
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import { BadRequestError } from '../../errors.js';

/** The version in which every message is independent. The library lists only versions that begin with a handshake. */
const STATELESS_VERSION = '2026-07-28';

/** Opens a stream of notifications; this server has none. */
const LISTEN = 'subscriptions/listen';

/** Only logged: the caller is gone. */
const CALLER_GONE = 499;

/** Headers of the request that the protocol reads. */
const READ_HEADERS = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

interface ToolMessage {
  headers: IncomingHttpHeaders;
  /** The parsed body. */
  body: object;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

interface ToolReply {
  status: number;
  /** JSON; undefined for a message that needs no answer. */
  text?: string;
}

/**
 * Passes one message to a server and returns its answer, in the message's version of the protocol.
 *
 * @param open creates the server
 * @throws {BadRequestError} if it is not a message of the protocol
 */
export async function exchange(open: () => Server, message: ToolMessage): Promise<ToolReply> {
  const parsed = parse(message.body);
  const named = headersOf(message.headers);
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    body: message.body,
    ...(named['mcp-protocol-version'] !== undefined && { protocolVersionHeader: named['mcp-protocol-version'] }),
    ...(named['mcp-method'] !== undefined && { mcpMethodHeader: named['mcp-method'] }),
    ...(named['mcp-name'] !== undefined && { mcpNameHeader: named['mcp-name'] }),
  });
  if (kind !== 'legacy') return answerStateless(open, message, parsed, named);
  return refuseVersion(named['mcp-protocol-version']) ?? answerAfterHandshake(open(), parsed, message.signal);
}

function parse(body: object): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(body);
  } catch (cause) {
    throw new BadRequestError('The body is not a JSON-RPC 2.0 message', { cause });
  }
}

type ReadHeaders = Partial<Record<(typeof READ_HEADERS)[number], string>>;

function headersOf(headers: IncomingHttpHeaders): ReadHeaders {
  const given = READ_HEADERS.map((name) => [name, headers[name]?.toString()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Uses the library, which compares the headers with the message and rejects unsupported versions. */
async function answerStateless(
  open: () => Server,
  { body, signal }: ToolMessage,
  message: JSONRPCMessage,
  headers: ReadHeaders,
): Promise<ToolReply> {
  if ('method' in message && 'id' in message && message.method === LISTEN) {
    const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' };
    return toReply(404, { jsonrpc: '2.0', id: message.id, error });
  }
  const reported: Error[] = [];
  const handler = createMcpHandler(open, { legacy: 'reject', onerror: (error) => reported.push(error) });
  signal.addEventListener('abort', () => void handler.close());
  // The address is never used.
  const request = new Request('http://memory.internal/mcp', { method: 'POST', headers });
  const response = await handler.fetch(request, { parsedBody: body });
  if (response.status === 500) throw reported.at(-1) ?? new Error('The tool server failed');
  const text = await response.text();
  return { status: response.status, ...(text !== '' && { text }) };
}

/** Reduces a conversation to one message and its answer, without sessions and streams. */
async function answerAfterHandshake(server: Server, message: JSONRPCMessage, signal: AbortSignal): Promise<ToolReply> {
  const connection = new Exchange();
  await server.connect(connection);
  signal.addEventListener('abort', () => void server.close());
  connection.onmessage?.(message);
  if (!isJSONRPCRequest(message)) return { status: 202 };
  const answer = await connection.answered;
  return answer ? toReply(200, answer) : { status: CALLER_GONE };
}

class Exchange implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  private answer: (message?: JSONRPCMessage) => void = () => undefined;
  /** Undefined if the connection ended before the answer. */
  readonly answered = new Promise<JSONRPCMessage | undefined>((resolve) => {
    this.answer = resolve;
  });

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    // Other messages of a server need a stream, which this transport does not have.
    if ('id' in message && !('method' in message)) this.answer(message);
  }

  async close(): Promise<void> {
    this.answer();
    this.onclose?.();
  }
}

/** Rejects unsupported versions. A missing header means the version before the header existed. */
function refuseVersion(version: string | undefined): ToolReply | undefined {
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const supported = [STATELESS_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS];
  const message = `Unsupported protocol version: this server speaks ${supported.join(', ')}`;
  const error = {
    code: ProtocolErrorCode.UnsupportedProtocolVersion,
    message,
    data: { supported, requested: version },
  };
  return toReply(400, { jsonrpc: '2.0', id: null, error });
}

function toReply(status: number, body: object): ToolReply {
  return { status, text: JSON.stringify(body) };
}
