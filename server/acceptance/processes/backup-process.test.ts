import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryClient } from '@memory-service/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { credentialsPath } from '../../config/credentials.js';
import { killCount } from '../../testing/processes/kill-count.js';
import { runProgram } from '../../testing/processes/run-program.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const UNLIMITED = { SERVICE_RATE_LIMIT_INGEST: '1000000' };
/** The number of kills of a command, spread over its duration. */
const KILLS = killCount(4);
/** Long enough for a busy machine; fails the test if it hangs. */
const TIMEOUT_MS = 120_000 + KILLS * 20_000;

test('a backup of a server under writes starts elsewhere, with everything acknowledged before it', async () => {
  const { parent, dataDir, copy, other } = await folders();
  await using server = await ServerProcess.start(builtPackage('server'), dataDir, UNLIMITED);
  const writer = new Writer(server);
  await writer.reaches(30);
  const before = [...writer.acknowledged];

  const made = await runProgram('main.cjs', ['backup', copy, '--with-key'], { SERVICE_DATA_DIR: dataDir });
  await writer.stop();
  const keyless = await runProgram('main.cjs', ['backup', join(parent, 'keyless')], { SERVICE_DATA_DIR: dataDir });
  const verified = await runProgram('main.cjs', ['verify', copy], {});
  const restored = await runProgram('main.cjs', ['restore', copy], { SERVICE_DATA_DIR: other });
  const checked = await runProgram('main.cjs', ['check'], { SERVICE_DATA_DIR: other });

  expect(made).toMatchObject({ code: 0, errors: expect.stringMatching(/^WARNING: .* contains the encryption key/) });
  expect(keyless).toMatchObject({ code: 0, errors: expect.stringMatching(/^WARNING: .* does not contain the encr/) });
  expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('is sound') });
  expect(restored).toMatchObject({ code: 0, errors: '' });
  expect(checked).toMatchObject({ code: 0, errors: '' });
  await copyFile(credentialsPath(dataDir), credentialsPath(other));
  await using second = await ServerProcess.start(builtPackage('server'), other);
  const stored = new Set<string>();
  for await (const { id } of new MemoryClient(second.credentials).export()) stored.add(id);
  expect(before.filter((id) => !stored.has(id))).toEqual([]);
});

test('a killed backup leaves nothing that verifies, and can be repeated', { timeout: TIMEOUT_MS }, async () => {
  const { dataDir, copy } = await folders();
  await fill(dataDir);
  const whole = await durationOf(['backup', `${copy}.whole`], dataDir);
  const halves: (number | null)[] = [];

  for (let kill = 1; kill <= KILLS; kill++) {
    const isKilled = await killed(['backup', copy], dataDir, (whole * kill) / (KILLS + 1));
    const { code } = await runProgram('main.cjs', ['verify', copy], {});
    // A kill after the backup got its final name changes nothing.
    if (isKilled && code !== (existsSync(copy) ? 0 : 1)) halves.push(code);
    await rm(copy, { recursive: true, force: true });
  }
  const made = await runProgram('main.cjs', ['backup', copy], { SERVICE_DATA_DIR: dataDir });
  const verified = await runProgram('main.cjs', ['verify', copy], {});

  expect(halves).toEqual([]);
  expect([made.code, verified.code]).toEqual([0, 0]);
  expect(existsSync(`${copy}.unfinished`)).toBe(false);
});

test('a killed restore leaves nothing that starts, and can be repeated', { timeout: TIMEOUT_MS }, async () => {
  const { parent, dataDir, copy } = await folders();
  await fill(dataDir);
  await runProgram('main.cjs', ['backup', copy, '--with-key'], { SERVICE_DATA_DIR: dataDir });
  const whole = await durationOf(['restore', copy], join(parent, 'whole'));
  const outcomes: unknown[] = [];

  for (let kill = 1; kill <= KILLS; kill++) {
    const other = join(parent, `other-${kill}`);
    await killed(['restore', copy], other, (whole * kill) / (KILLS + 1));
    // The database file appears only when the restore is complete.
    const isRestored = existsSync(join(other, 'memory.db'));
    const again = await runProgram('main.cjs', ['restore', copy], { SERVICE_DATA_DIR: other });
    const checked = await runProgram('main.cjs', ['check'], { SERVICE_DATA_DIR: other });
    outcomes.push({ isRestored, again: again.code, checked: checked.code });
  }

  expect(outcomes.length).toBe(KILLS);
  for (const outcome of outcomes) {
    expect([
      { isRestored: false, again: 0, checked: 0 },
      { isRestored: true, again: 1, checked: 0 },
    ]).toContainEqual(outcome);
  }
});

/** Writes memories one after the other until it is stopped. */
class Writer {
  readonly acknowledged: string[] = [];
  #isStopped = false;
  readonly #writing: Promise<void>;

  constructor({ credentials }: ServerProcess) {
    this.#writing = this.#write(new MemoryClient(credentials));
    // A failure is reported when the writer is awaited.
    this.#writing.catch(() => {});
  }

  async reaches(count: number): Promise<void> {
    while (this.acknowledged.length < count) await Promise.race([this.#writing, delay(10)]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#writing;
  }

  async #write(client: MemoryClient): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      const { id } = await client.ingest({ content: `memory ${n} ${'of some length '.repeat(200)}` });
      this.acknowledged.push(id);
    }
  }
}

/** Makes a data folder as a killed server leaves it. */
async function fill(dataDir: string): Promise<void> {
  await using server = await ServerProcess.start(builtPackage('server'), dataDir, UNLIMITED);
  const writer = new Writer(server);
  await writer.reaches(100);
  await writer.stop();
}

/** Measures how long a command takes, in milliseconds. */
async function durationOf(args: readonly string[], dataDir: string): Promise<number> {
  const start = performance.now();
  expect(await runProgram('main.cjs', args, { SERVICE_DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  return performance.now() - start;
}

/** Kills a command after a delay. Resolves with true if it was still running. */
async function killed(args: readonly string[], dataDir: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [join(builtPackage('server'), 'main.cjs'), ...args], {
    env: { ...process.env, SERVICE_DATA_DIR: dataDir },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await Promise.race([ended, delay(afterMs)]);
  child.kill('SIGKILL');
  await ended;
  return child.signalCode === 'SIGKILL';
}

async function folders(): Promise<{ parent: string; dataDir: string; copy: string; other: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'memory-backup-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return { parent, dataDir: join(parent, 'data'), copy: join(parent, 'copy'), other: join(parent, 'other') };
}
