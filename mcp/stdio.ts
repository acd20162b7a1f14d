import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { EnvironmentError, openSession } from './environment.js';
import { createToolServer } from './server.js';
import { readTools, toCatalog } from './tools/catalog.js';
import { USAGE } from './usage.js';

const EXIT_USAGE = 2;

try {
  run(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof TypeError || error instanceof EnvironmentError;
  console.error(isExpected ? `memory-mcp: ${error.message} (see memory-mcp --help)` : error);
  process.exitCode = 1;
}

function run([option, ...more]: readonly string[]): void {
  const tools = readTools();
  if (option === undefined) serve(tools);
  else if (more.length === 0 && ['--help', '-h', 'help'].includes(option)) process.stdout.write(USAGE);
  else if (more.length === 0 && ['--version', '-v'].includes(option)) console.log(tools.version);
  else {
    console.error(`memory-mcp: ${[option, ...more].join(' ')} is not an option (see memory-mcp --help)`);
    process.exitCode = EXIT_USAGE;
  }
}

/** Serves the protocol on standard input and output. Everything else goes to standard error. */
function serve(tools: ReturnType<typeof readTools>): void {
  const report = (error: unknown) => console.error(error instanceof Error ? error.message : error);
  const session = openSession(process.env);
  const options = { catalog: toCatalog(tools), version: tools.version, report };
  serveStdio(() => createToolServer(session, options), { onerror: report });
  if (process.stdin.isTTY) console.error('memory-mcp waits for the messages of a client. Ctrl-C ends it.');
}
