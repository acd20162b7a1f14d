import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveConnection } from './connection.js';
import { loginPath, removeLogin, writeLogin } from './login-file.js';

const HERE = 'http://127.0.0.1:8080';
const THERE = 'https://memory.example.com';

async function places(): Promise<{ configDir: string; dataDir: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { configDir: folder, dataDir: folder };
}

async function started(dataDir: string): Promise<void> {
  const credentials = { baseUrl: HERE, organizationId: 'org-here', token: 'msk_here' };
  await writeFile(join(dataDir, 'credentials.json'), JSON.stringify(credentials));
}

describe('resolveConnection', () => {
  test('prefers flags and environment to saved values', async () => {
    const where = await places();
    await writeLogin(loginPath(where.configDir), { baseUrl: THERE, token: 'msk_there' });

    const connection = await resolveConnection({ baseUrl: HERE, token: 'msk_given' }, where);

    expect(connection).toMatchObject({ baseUrl: HERE, token: 'msk_given', source: 'flags or environment' });
  });

  test('prefers the login to the credentials of a service on this machine', async () => {
    const where = await places();
    await started(where.dataDir);
    await writeLogin(loginPath(where.configDir), { baseUrl: THERE, token: 'msk_there', organizationId: 'org-there' });

    const connection = await resolveConnection({}, where);

    expect(connection).toEqual({
      baseUrl: THERE,
      token: 'msk_there',
      organizationId: 'org-there',
      source: 'memory login',
    });
  });

  test('reads the credentials of a service on this machine', async () => {
    const where = await places();
    await started(where.dataDir);

    const connection = await resolveConnection({ organizationId: 'org-2' }, where);

    expect(connection).toMatchObject({ token: 'msk_here', organizationId: 'org-2', source: 'credentials.json' });
  });

  test('never sends a saved token to another service', async () => {
    const where = await places();
    await started(where.dataDir);
    await writeLogin(loginPath(where.configDir), { baseUrl: THERE, token: 'msk_there' });

    const elsewhere = await resolveConnection({ baseUrl: 'https://evil.example.com' }, where);
    const here = await resolveConnection({ baseUrl: `${HERE}/` }, where);

    expect(elsewhere.token).toBeUndefined();
    expect(here.token).toBe('msk_here');
  });

  test('rejects a malformed login file', async () => {
    const where = await places();
    await writeFile(loginPath(where.configDir), '{"baseUrl": 1}');

    await expect(resolveConnection({}, where)).rejects.toThrow('memory login');
  });
});

test('a login file is readable only by its owner, and can be removed', async () => {
  const { configDir } = await places();
  const path = loginPath(configDir);

  await writeLogin(path, { baseUrl: THERE, token: 'msk_there' });
  const { mode } = await stat(path);
  await removeLogin(path);
  await removeLogin(path);

  expect(mode & 0o777).toBe(0o600);
  expect((await resolveConnection({}, { configDir, dataDir: configDir })).source).toBe('nowhere');
});
