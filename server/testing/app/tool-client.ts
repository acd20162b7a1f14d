import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { TestApp } from './test-app.js';

/** What a tool answered: its data, and whether it was a refusal. */
interface ToolAnswer {
  isError: boolean;
  body: Record<string, unknown>;
  /** What a client shows that reads no data. */
  text: string;
}

/** The protocol's own client, connected to the tools of a service; the connection goes when the test ends. */
export class ToolClient {
  private constructor(readonly client: Client) {}

  /**
   * @param headers added to every request, or left out where undefined; the owner's token unless given
   * @param version of the protocol: the newest, or one of those that begin with a handshake
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
    // From then on the client holds every result against the schema of its tool.
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

  /** The text of a resource. */
  async read(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri });
    const [first] = contents as { text: string }[];
    return first?.text ?? '';
  }

  /** What the protocol says of a resource that is not given out. */
  async refusal(uri: string): Promise<{ code: number; message: string; data: unknown }> {
    try {
      await this.client.readResource({ uri });
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data: unknown };
      return { code, message, data };
    }
    throw new Error(`${uri} was given out`);
  }
}
