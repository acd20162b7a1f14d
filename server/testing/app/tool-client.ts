import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { TestApp } from './test-app.js';

/** The answer of a tool: its data, and whether it is an error. */
interface ToolAnswer {
  isError: boolean;
  body: Record<string, unknown>;
  /** The text for clients that do not read the data. */
  text: string;
}

/** Connects the official client to the tools of a service until the test ends. */
export class ToolClient {
  private constructor(readonly client: Client) {}

  /**
   * @param headers added to every request, or left out if undefined; the owner's token by default
   * @param version of the protocol: the newest, or one that begins with a handshake
   */
  static async connect(
    { port, token }: Pick<TestApp, 'port' | 'token'>,
    headers: Record<string, string | undefined> = {},
    version: '2026-07-28' | 'handshake' = '2026-07-28',
  ): Promise<ToolClient> {
    const all = { authorization: `Bearer ${token}`, ...headers };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const mode = version === 'handshake' ? 'legacy' : { pin: version };
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: Object.fromEntries(sent) } }),
    );
    onTestFinished(() => client.close());
    // After this the client validates every result by the schema of its tool.
    await client.listTools();
    return new ToolClient(client);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { isError, structuredContent, content } = await this.client.callTool({ name, arguments: args });
    const [first] = content as { text: string }[];
    return {
      isError: isError === true,
      body: structuredContent as Record<string, unknown>,
      text: first?.text ?? '',
    };
  }

  /** Returns the text of a resource. */
  async read(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri });
    const [first] = contents as { text: string }[];
    return first?.text ?? '';
  }

  /** Returns the protocol error for a resource that is refused. */
  async refusal(uri: string): Promise<{ code: number; message: string; data: unknown }> {
    try {
      await this.client.readResource({ uri });
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data: unknown };
      return { code, message, data };
    }
    throw new Error(`${uri} was returned, not refused`);
  }
}
