import { Server } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { BadRequestError } from '../../errors.js';
import { exchange } from './mcp-exchange.js';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const OF_EACH_KIND = [
  [
    'is independent',
    { ...LIST, params: { _meta: META } },
    { 'mcp-protocol-version': VERSION, 'mcp-method': LIST.method },
  ],
  ['follows a handshake', LIST, {}],
] as const;

describe('exchange', () => {
  test.each(OF_EACH_KIND)('stops work on a message that %s when its caller disconnects', async (_, body, named) => {
    const caller = new AbortController();
    let begin: (signal: AbortSignal) => void = () => {};
    const begun = new Promise<AbortSignal>((resolve) => {
      begin = resolve;
    });
    const open = () => serverWhoseList(begin);

    const reply = exchange(open, {
      headers: { 'content-type': 'application/json', ...named },
      body,
      signal: caller.signal,
    });
    const signal = await begun;
    caller.abort();

    expect(await reply).toEqual({ status: 499 });
    expect(signal.aborted).toBe(true);
  });

  test.each(OF_EACH_KIND)('fails with the error of creating a server for a message that %s', async (_, body, named) => {
    const headers = { 'content-type': 'application/json', ...named };
    const open = () => {
      throw new Error('no server');
    };

    const reply = exchange(open, { headers, body, signal: new AbortController().signal });

    await expect(reply).rejects.toThrow('no server');
  });

  test.each([{}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: {}, method: 'ping' }])(
    'rejects %j, which is not a message of the protocol',
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      const open = () => serverWhoseList(() => {});

      const reply = exchange(open, { headers, body, signal: new AbortController().signal });

      await expect(reply).rejects.toThrow(BadRequestError);
    },
  );
});

/** Returns a server that reports when its tools are listed, and never answers. */
function serverWhoseList(isAsked: (signal: AbortSignal) => void): Server {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', (_, { mcpReq: { signal } }) => {
    isAsked(signal);
    return new Promise(() => {});
  });
  return server;
}
