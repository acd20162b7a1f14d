import { PrerequisiteError } from './check.js';
import type { Http } from './http.js';

/** The newest revision of the protocol that the suite speaks. */
const PROTOCOL_VERSION = '2025-06-18';
const EVENT_DATA = /^data: ?(.*)$/gm;

/** What a call of a method came to: a result, or an error of the protocol. */
export interface RpcAnswer {
  readonly status: number;
  readonly result: Record<string, unknown> | undefined;
  readonly error: { code?: number; message?: string; data?: unknown } | undefined;
}

/** What a tool said. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly data: Record<string, unknown>;
}

export interface ToolCaller {
  token: string | null;
  headers?: Record<string, string>;
}

/** Speaks the Model Context Protocol over Streamable HTTP, as plainly as it can be spoken. */
export class ToolClient {
  private nextId = 1;

  constructor(private readonly http: Http) {}

  /** Sends one request of the protocol. */
  async request(caller: ToolCaller, method: string, params: Record<string, unknown> = {}): Promise<RpcAnswer> {
    const id = this.nextId++;
    const answer = await this.http.sendUnpaced({
      method: 'POST',
      path: '/mcp',
      headers: {
        ...(caller.token !== null && { authorization: `Bearer ${caller.token}` }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL_VERSION,
        ...caller.headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    const message = answer.headers.get('content-type')?.includes('text/event-stream')
      ? lastEvent(answer.text)
      : answer.body;
    const { result, error } = message as Pick<RpcAnswer, 'result' | 'error'>;
    return { status: answer.status, result, error: typeof error === 'object' ? error : undefined };
  }

  async initialize(caller: ToolCaller): Promise<RpcAnswer> {
    return this.request(caller, 'initialize', {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'memory-conformance', version: '1' },
    });
  }

  /**
   * Calls a tool.
   *
   * @throws {PrerequisiteError} when the answer is no tool result
   */
  async call(caller: ToolCaller, name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { status, result, error } = await this.request(caller, 'tools/call', { name, arguments: given });
    if (!result) {
      throw new PrerequisiteError(
        `the tool ${name} gave no result (${status}): ${error?.message ?? 'no JSON-RPC answer'}`,
      );
    }
    return { isError: result.isError === true, data: toData(result) };
  }
}

/** Structured content where there is some, else the text read as JSON. */
function toData({ structuredContent, content }: Record<string, unknown>): Record<string, unknown> {
  if (typeof structuredContent === 'object' && structuredContent !== null) {
    return structuredContent as Record<string, unknown>;
  }
  const [first] = (content ?? []) as { text?: string }[];
  try {
    return JSON.parse(first?.text ?? '{}') as Record<string, unknown>;
  } catch {
    return { error: first?.text };
  }
}

function lastEvent(text: string): unknown {
  const events = Array.from(text.matchAll(EVENT_DATA), ([, data = '']) => data);
  return JSON.parse(events.at(-1) ?? '{}');
}
