import { bin, start } from './processes.mjs';

const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'check', version: '1.0.0' } };

/** Uses the installed program as an agent's client does: initializes, lists the tools, and calls one. */
export async function checkMcp(cwd, { env }, print) {
  const server = start(bin(cwd, 'memory-mcp'), [], { cwd, env });
  try {
    const { serverInfo } = await ask(server, 1, 'initialize', CLIENT);
    server.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    const { tools } = await ask(server, 2, 'tools/list', {});
    const call = { name: 'memory_search', arguments: { query: 'when does the harbour gate close?' } };
    const { isError } = await ask(server, 3, 'tools/call', call);
    print(`memory-mcp: ${serverInfo.name} ${serverInfo.version}, ${tools.length} tools`);
    return [
      ...(tools.some(({ name }) => name === call.name) ? [] : [`tools/list lacks ${call.name}`]),
      ...(isError ? [`${call.name} failed`] : []),
    ];
  } catch (error) {
    return [`memory-mcp: ${error.message}`];
  } finally {
    await server.stop();
  }
}

async function ask({ lines, write }, id, method, params) {
  write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error(`ended before it answered ${method}`);
    const answer = JSON.parse(value);
    if (answer.id !== id) continue;
    if (answer.error) throw new Error(`${method} was answered with ${answer.error.message}`);
    return answer.result;
  }
}
