import type { Contract } from './contract.js';
import type { Credentials } from './credentials.js';
import type { Http } from './http.js';
import { PrerequisiteError } from './prerequisite.js';
import { judgeMessage, limitClassOf } from './tool-limits.js';
import { type RpcAnswer, readMessage, toData } from './tool-message.js';

/** The newest revision of the protocol that the suite speaks. */
const PROTOCOL_VERSION = '2025-06-18';

/** The result of a tool call. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly data: Record<string, unknown>;
}

export interface ToolCaller {
  token: string | null;
  headers?: Record<string, string>;
  /** True if the caller expects the rejection by the per-minute limit. */
  isUnpaced?: boolean;
}

/** A tool that was called, and as whom. */
export interface ToolCall {
  readonly token: string | null;
  readonly name: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/** Speaks the Model Context Protocol over Streamable HTTP, as plainly as it can be spoken. */
export class ToolClient {
  private nextId = 1;

  /**
   * @param usersOf returns the credentials of a token, with its owner
   * @param onResult hears of every tool that was called, and what it said
   */
  constructor(
    private readonly http: Http,
    private readonly contract: Contract,
    private readonly usersOf: (token: string) => Credentials,
    private readonly onResult: (call: ToolCall, answer: ToolAnswer) => void,
  ) {}

  /** Sends one request of the protocol. */
  async request(caller: ToolCaller, method: string, params: Record<string, unknown> = {}): Promise<RpcAnswer> {
    const { token, headers, isUnpaced = false } = caller;
    const id = this.nextId++;
    const answer = await this.http.sendUnchecked(
      {
        method: 'POST',
        path: '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': PROTOCOL_VERSION,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      },
      {
        limitClass: isUnpaced ? undefined : limitClassOf(this.contract, method, params),
        credentials: token === null ? undefined : this.usersOf(token),
        judge: judgeMessage,
      },
    );
    return readMessage(answer);
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
    const answer = { isError: result.isError === true, data: toData(result) };
    this.onResult({ token: caller.token, name, given }, answer);
    return answer;
  }
}
