import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './demo/server-process.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort(new Error('interrupted')));

process.exitCode = await runAll(process.argv.length > 2 ? process.argv.slice(2) : await listExamples());

/** Runs examples one after the other, each against its own server. Resolves to 0 if all pass. */
async function runAll(names: readonly string[]): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-examples-'));
  try {
    await using server = await startServer({
      script: join(ROOT, 'server/dist/main.cjs'),
      dataDir,
      onExit: (error) => stop.abort(error),
      signal: stop.signal,
    });
    const { baseUrl, token } = server.credentials;
    let failed = 0;
    for (const name of names) {
      const code = await runOne(name, { MEMORY_BASE_URL: baseUrl, MEMORY_TOKEN: token });
      console.log(`${code === 0 ? 'pass' : 'FAIL'}  ${name}\n`);
      if (code !== 0) failed += 1;
    }
    console.log(`${names.length - failed} of ${names.length} examples pass`);
    return failed === 0 ? 0 : 1;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Lists all programs beside this one. */
async function listExamples(): Promise<string[]> {
  const files = await readdir(fileURLToPath(new URL('.', import.meta.url)));
  const names = files.filter((file) => file.endsWith('.js')).map((file) => file.slice(0, -'.js'.length));
  return names.filter((name) => name !== 'run').sort();
}

async function runOne(name: string, environment: Record<string, string>): Promise<number | null> {
  const script = fileURLToPath(new URL(`${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
    signal: stop.signal,
  });
  const [code] = await once(child, 'exit');
  return code;
}
