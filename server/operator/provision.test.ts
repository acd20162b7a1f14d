import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeCredentials } from '../config/credentials.js';
import { type Ended, runProgram } from '../testing/processes/run-program.js';
import { builtPackage, ServerProcess } from '../testing/processes/server-process.js';

const PLANS = JSON.stringify({ price_team: { name: 'Team', ingestPerMonth: 1, searchPerMonth: null } });

describe('the provisioning program', () => {
  test('creates an organization, people, subject keys and a plan that a server then serves', async () => {
    const dataDir = await folder();
    const owner = await provisioned(dataDir, [
      ...['--organization', 'Acme', '--owner', 'maria@example.test'],
      ...['--subject-key-type', 'string', '--price', 'price_team'],
    ]);
    const reader = await provisioned(dataDir, [
      ...['--organization-id', owner.organizationId, '--owner', 'jo@example.test', '--role', 'readonly'],
    ]);

    // A server that creates no first organization writes no credentials.
    writeCredentials(dataDir, { baseUrl: '', ...owner });
    const server = await ServerProcess.start(builtPackage('server'), dataDir, { SERVICE_PLANS: PLANS });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const [writing, reading] = [owner, reader].map(({ token }) => new MemoryClient({ baseUrl: server.url, token }));

    const { id } = await writing!.ingest({ content: 'Deploys run on Fridays at noon.', subjectKey: 'team' });
    expect(await reading!.get(id)).toMatchObject({ subjectKey: 'team' });
    await expect(writing!.ingest({ content: 'And on Tuesdays.' })).rejects.toMatchObject({ code: 'quota_exceeded' });
    await expect(reading!.ingest({ content: 'No.' })).rejects.toMatchObject({ code: 'ability_denied' });
    expect(await writing!.usage.get()).toMatchObject({ ingest: { used: 1, cap: 1 }, search: { cap: null } });

    const refused = await run(dataDir, ['--organization', 'Umbrella', '--owner', 'maria@example.test']);
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toMatch(/Another process is using the data folder[\s\S]*POST \/api\/organization\/tokens/);
  });

  test.each([
    [[], 'string'],
    [['--subject-key-type', 'none'], null],
  ])('gives a new organization with %j the type of subject keys %j', async (options, subjectKeyType) => {
    const dataDir = await folder();
    const owner = await provisioned(dataDir, ['--organization', 'Acme', '--owner', 'maria@example.test', ...options]);

    writeCredentials(dataDir, { baseUrl: '', ...owner });
    const server = await ServerProcess.start(builtPackage('server'), dataDir);
    onTestFinished(() => server[Symbol.asyncDispose]());

    const client = new MemoryClient({ baseUrl: server.url, token: owner.token });
    expect(await client.settings.get()).toMatchObject({ subjectKeyType });
  });

  test('reports wrong options without a stack', async () => {
    const dataDir = await folder();

    const refusals = await Promise.all([
      run(dataDir, []),
      run(dataDir, ['--owner', 'maria@example.test']),
      run(dataDir, ['--organization', 'Acme', '--owner', 'maria@example.test', '--role', 'king']),
      run(dataDir, ['--organization', 'Acme', '--owner', 'maria@example.test', '--colour', 'red']),
    ]);
    const malformed = await run(dataDir, ['--organization', 'Acme', '--owner', 'maria']);
    const help = await run(dataDir, ['--help']);

    expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    expect(refusals.map(({ errors }) => errors)).toEqual([
      expect.stringMatching(/--owner EMAIL/),
      expect.stringMatching(/--organization NAME/),
      expect.stringMatching(/--role as owner or member or readonly/),
      expect.stringMatching(/--colour/),
    ]);
    expect(malformed).toMatchObject({ code: 1, errors: expect.stringMatching(/^owner must be an e-mail address/) });
    expect([...refusals, malformed].map(({ errors }) => errors).join()).not.toContain('    at ');
    expect(help).toMatchObject({ code: 0, output: expect.stringContaining('--subject-key-type TYPE') });
  });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'memory-provision-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function provisioned(
  dataDir: string,
  args: readonly string[],
): Promise<{ organizationId: string; userId: string; token: string }> {
  const { code, output, errors } = await run(dataDir, [...args, '--json']);
  expect(errors).toBe('');
  expect(code).toBe(0);
  return JSON.parse(output);
}

function run(dataDir: string, args: readonly string[]): Promise<Ended> {
  return runProgram('operator/provision.js', args, { SERVICE_DATA_DIR: dataDir, SERVICE_PLANS: PLANS });
}
