import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { damagePages } from '../../testing/embedded/page-damage.js';
import { SeededChoices } from '../../testing/fixtures/seeded-choices.js';
import { runProgram } from '../../testing/processes/run-program.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

test('a server does not start on damaged data or without its key, says what to do, and starts after that', async () => {
  const dataDir = await folder();
  const env = { SERVICE_DATA_DIR: dataDir, PORT: '0' };
  const first = await ServerProcess.start(builtPackage('server'), dataDir);
  onTestFinished(() => first[Symbol.asyncDispose]());
  const { id } = await new MemoryClient(first.credentials).ingest({ content: 'kept through all of this' });
  const beside = await runProgram('main.cjs', ['check'], env);
  await first.stop('SIGTERM');
  const [key, whole] = [await readFile(join(dataDir, 'encryption.key')), await readFile(join(dataDir, 'memory.db'))];

  await rm(join(dataDir, 'encryption.key'));
  const keyless = await runProgram('main.cjs', [], env);
  await writeFile(join(dataDir, 'encryption.key'), key);
  damagePages(join(dataDir, 'memory.db'), 0.2, new SeededChoices(1));
  const damaged = await runProgram('main.cjs', [], env);
  const found = await runProgram('main.cjs', ['check'], env);
  await writeFile(join(dataDir, 'memory.db'), whole);
  const sound = await runProgram('main.cjs', ['check'], env);
  const second = await ServerProcess.start(builtPackage('server'), dataDir);
  onTestFinished(() => second[Symbol.asyncDispose]());

  expect(beside).toMatchObject({ code: 0, output: expect.stringContaining('is sound'), errors: '' });
  expect(keyless).toMatchObject({ code: 1, errors: expect.stringMatching(/put back .*encryption\.key/) });
  expect(damaged).toMatchObject({ code: 1, errors: expect.stringMatching(/memory\.db cannot be used.*restore/) });
  expect(found).toMatchObject({ code: 1, errors: expect.stringMatching(/^DAMAGED/) });
  expect(sound).toMatchObject({ code: 0, errors: '' });
  expect([keyless, damaged, found].map(({ errors }) => errors).join()).not.toContain('    at ');
  await expect(new MemoryClient(second.credentials).get(id)).resolves.toMatchObject({ id });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'memory-damage-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}
