import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveConnection } from './connection.js';
import { type Login, loginPath, readProfiles, removeProfile, writeProfiles } from './login-file.js';

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

async function saved(configDir: string, profiles: Record<string, Login>, current = 'default'): Promise<void> {
  await writeProfiles(loginPath(configDir), { current, profiles });
}

describe('resolveConnection', () => {
  test('prefers flags and environment to saved values', async () => {
    const where = await places();
    await saved(where.configDir, { default: { baseUrl: THERE, token: 'msk_there' } });

    const connection = await resolveConnection({ baseUrl: HERE, token: 'msk_given' }, where);

    expect(connection).toMatchObject({ baseUrl: HERE, token: 'msk_given', source: 'flags or environment' });
  });

  test('prefers the login to the credentials of a service on this machine', async () => {
    const where = await places();
    await started(where.dataDir);
    const login = { baseUrl: THERE, token: 'msk_there', organizationId: 'org-there' };
    await saved(where.configDir, { default: login });

    const connection = await resolveConnection({}, where);

    expect(connection).toEqual({
      baseUrl: THERE,
      token: 'msk_there',
      organizationId: 'org-there',
      source: 'profile default',
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
    await saved(where.configDir, { default: { baseUrl: THERE, token: 'msk_there' } });

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

describe('profiles', () => {
  const ONE = { baseUrl: HERE, token: 'msk_one' };
  const TWO = { baseUrl: THERE, token: 'msk_two' };

  test('are used by name, and otherwise the current one', async () => {
    const where = await places();
    await saved(where.configDir, { one: ONE, two: TWO }, 'two');

    const current = await resolveConnection({}, where);
    const named = await resolveConnection({ profile: 'one' }, where);
    const elsewhere = await resolveConnection({ profile: 'one', baseUrl: THERE }, where);

    expect([current.token, current.source]).toEqual(['msk_two', 'profile two']);
    expect([named.token, named.baseUrl]).toEqual(['msk_one', HERE]);
    expect(elsewhere).toMatchObject({ baseUrl: THERE, token: undefined });
  });

  test.each(['three', 'constructor'])('that do not exist are an error, such as %s', async (profile) => {
    const where = await places();
    await saved(where.configDir, { one: ONE, two: TWO });

    await expect(resolveConnection({ profile }, where)).rejects.toThrow(
      `there is no profile "${profile}": there are one, two`,
    );
  });

  test('read the login of an earlier release as the default', async () => {
    const where = await places();
    await writeFile(loginPath(where.configDir), JSON.stringify(ONE));

    expect(await resolveConnection({}, where)).toMatchObject({ token: 'msk_one', source: 'profile default' });
  });

  test('are kept in a file that only its owner can read', async () => {
    const { configDir } = await places();
    const path = loginPath(configDir);
    // A draft that a killed command left behind, which others can read.
    await writeFile(`${path}.new`, '', { mode: 0o644 });

    await saved(configDir, { one: ONE });
    const { mode } = await stat(path);

    expect(mode & 0o777).toBe(0o600);
  });

  test('can be removed: another one becomes current, and the file goes with the last', async () => {
    const { configDir } = await places();
    const path = loginPath(configDir);
    await saved(configDir, { one: ONE, two: TWO }, 'one');

    const { current } = await removeProfile(path, 'one');
    await removeProfile(path, 'two');

    expect(current).toBe('two');
    await expect(stat(path)).rejects.toThrow('ENOENT');
    await expect(removeProfile(path, 'two')).rejects.toThrow('there is no profile "two"');
    expect((await readProfiles(path)).profiles).toEqual({});
  });
});
