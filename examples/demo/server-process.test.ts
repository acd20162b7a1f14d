import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from './server-process.js';

/** A fake server that writes its process id instead of the organization. */
const LISTENING = `
  import { writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  const credentials = { baseUrl: 'http://127.0.0.1:1', organizationId: String(process.pid), token: 'msk_x' };
  writeFileSync(join(process.env.SERVICE_DATA_DIR, 'credentials.json'), JSON.stringify(credentials));
  console.log('Memory Service listens on http://127.0.0.1:1');
`;

interface Fake {
  script: string;
  dataDir: string;
}

async function fakeServer(source: string): Promise<Fake> {
  const dataDir = await mkdtemp(join(tmpdir(), 'server-process-test-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const script = join(dataDir, 'server.mjs');
  await writeFile(script, source);
  return { script, dataDir };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const never = new AbortController().signal;

function unexpected(error: Error): never {
  throw error;
}

describe('startServer', () => {
  test('reads the credentials, and stops the server when it is disposed of', async () => {
    const fake = await fakeServer(`${LISTENING} setInterval(() => {}, 1_000);`);

    const server = await startServer({ ...fake, onExit: unexpected, signal: never });
    const pid = Number(server.credentials.organizationId);
    const wasAlive = isAlive(pid);
    await server[Symbol.asyncDispose]();

    expect(server.credentials).toMatchObject({ baseUrl: 'http://127.0.0.1:1', token: 'msk_x' });
    expect(wasAlive).toBe(true);
    expect(isAlive(pid)).toBe(false);
  });

  test('fails with the output of a server that does not start', async () => {
    const fake = await fakeServer('console.error("The disk is made of cheese"); process.exitCode = 3;');

    const starting = startServer({ ...fake, onExit: unexpected, signal: never });

    await expect(starting).rejects.toThrow(/exited with code 3.*The disk is made of cheese/s);
  });

  test('reports that the server exited by itself', async () => {
    const fake = await fakeServer(`${LISTENING} setTimeout(() => { console.error('Gone'); process.exit(70); }, 50);`);

    const told = await new Promise<Error>((resolve) => {
      void startServer({ ...fake, onExit: resolve, signal: never });
    });

    expect(told.message).toMatch(/exited with code 70.*Gone/s);
  });

  test('throws the reason of an interruption before the server listens', async () => {
    const fake = await fakeServer('setInterval(() => {}, 1_000);');
    const interrupt = new AbortController();
    const reason = new Error('Interrupted.');

    const starting = startServer({ ...fake, onExit: unexpected, signal: interrupt.signal });
    setImmediate(() => interrupt.abort(reason));

    await expect(starting).rejects.toBe(reason);
  });

  test('does not pass settings in the environment to the server', async () => {
    const fake = await fakeServer(`
      console.error('provider: ' + process.env.SERVICE_EMBEDDING_PROVIDER);
      process.exitCode = 1;
    `);
    process.env.SERVICE_EMBEDDING_PROVIDER = 'voyage';
    onTestFinished(() => {
      delete process.env.SERVICE_EMBEDDING_PROVIDER;
    });

    const starting = startServer({ ...fake, onExit: unexpected, signal: never });

    await expect(starting).rejects.toThrow('provider: undefined');
  });
});
