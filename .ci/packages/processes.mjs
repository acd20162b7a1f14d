import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program that takes longer hangs, even on a busy machine. */
const PATIENCE_MS = 300_000;

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs a program to its end, with only the paths of this environment. */
export function run(command, args, { cwd, env = {}, patienceMs = PATIENCE_MS }) {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...onlyPaths(), ...env }, timeout: patienceMs, maxBuffer: 2 ** 26 };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      running.delete(child);
      resolve({ code: error ? (error.code ?? error.signal ?? 1) : 0, stdout, output: `${stdout}${stderr}` });
    });
    running.add(child);
    child.stdin.end();
  });
}

/** Starts a program that reads and writes lines. `stop` waits for its end. */
export function start(command, args, { cwd, env = {} }) {
  const child = spawn(command, args, { cwd, env: { ...onlyPaths(), ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  const ended = once(child, 'exit').finally(() => running.delete(child));
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    write: (line) => child.stdin.write(`${line}\n`),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts the server that is installed in `cwd`, on data of its own. Resolves when it answers. */
export async function startServer(cwd, dataDir) {
  await mkdir(dataDir, { recursive: true });
  const server = start(bin(cwd, 'memory-server'), [], { cwd, env: { PORT: '0', SERVICE_DATA_DIR: dataDir } });
  for await (const line of server.lines) {
    if (!line.includes('stored in')) continue;
    const { baseUrl, token } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    return { baseUrl, token, env: { MEMORY_BASE_URL: baseUrl, MEMORY_TOKEN: token }, stop: server.stop };
  }
  throw new Error('the server ended before it listened');
}

export function bin(cwd, name) {
  return join(cwd, 'node_modules/.bin', name);
}

function onlyPaths() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
}
