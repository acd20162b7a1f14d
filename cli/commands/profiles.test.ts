import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import Login from './login.js';
import Logout from './logout.js';
import Profiles from './profiles/index.js';
import ProfilesRemove from './profiles/remove.js';
import ProfilesUse from './profiles/use.js';
import Whoami from './whoami.js';

interface Service {
  app: TestApp;
  baseUrl: string;
}

async function service(): Promise<Service> {
  const app = await testApp();
  return { app, baseUrl: `http://127.0.0.1:${app.port}` };
}

async function logIn(line: CommandLine, { app, baseUrl }: Service, profile: string) {
  return line.run(Login, ['--base-url', baseUrl, '--profile', profile], { stdin: app.token });
}

test('the first profile is the current one until another one is chosen', async () => {
  const [here, there] = [await service(), await service()];
  const line = await CommandLine.create();

  const first = await logIn(line, here, 'here');
  const second = await logIn(line, there, 'there');
  const before = await line.run(Whoami, []);
  const listed = await line.run(Profiles, []);
  await line.run(ProfilesUse, ['there']);
  const after = await line.run(Whoami, []);

  expect(first.stderr).toBe('');
  expect(second.stderr).toContain('run "memory profiles use there"');
  expect(before.stdout).toContain(here.app.organizationId);
  expect(listed.stdout).toMatch(new RegExp(`^PROFILE +CURRENT +SERVICE +ORGANIZATION\nhere +\\* +${here.baseUrl} `));
  expect(after.stdout).toContain(there.app.organizationId);
});

test('a flag precedes the environment, and the environment the current profile', async () => {
  const [here, there, third] = [await service(), await service(), await service()];
  const line = await CommandLine.create();
  await logIn(line, here, 'here');
  await logIn(line, there, 'there');
  const env = { MEMORY_BASE_URL: third.baseUrl, MEMORY_TOKEN: third.app.token };

  const byEnvironment = await line.run(Whoami, [], { env });
  const byName = await line.run(Whoami, [], { env: { MEMORY_PROFILE: 'there' } });
  const both = await line.run(Whoami, [], { env: { ...env, MEMORY_PROFILE: 'there' } });
  const byFlag = await line.run(Whoami, ['--profile', 'there'], { env: { ...env, MEMORY_PROFILE: 'here' } });

  expect(byEnvironment.stdout).toContain(third.app.organizationId);
  expect(byName.stdout).toContain(there.app.organizationId);
  expect(both.stdout).toContain(third.app.organizationId);
  expect(byFlag.stdout).toContain(there.app.organizationId);
});

test('a profile that was removed is unknown, and the others stay', async () => {
  const [here, there] = [await service(), await service()];
  const line = await CommandLine.create();
  await logIn(line, here, 'here');
  await logIn(line, there, 'there');

  const removed = await line.run(ProfilesRemove, ['here']);
  const unknown = await line.run(Whoami, ['--profile', 'here']);
  const used = await line.run(ProfilesUse, ['here']);
  const left = await line.run(Whoami, []);
  await line.run(Logout, []);
  const none = await line.run(Profiles, []);
  const again = await line.run(Logout, []);

  expect(removed.result).toEqual({ removed: 'here', current: 'there' });
  expect(unknown.error?.message).toBe('there is no profile "here": there are there');
  expect(used.exitCode).toBe(2);
  expect(left.stdout).toContain(there.app.organizationId);
  expect(none.stderr).toBe('no profiles: run "memory login"\n');
  expect(again).toMatchObject({ exitCode: 2, error: { message: 'there is no login to delete' } });
});

test('a name that is no name of a profile is rejected before anything is sent', async () => {
  const line = await CommandLine.create();

  const login = await line.run(Login, ['--base-url', 'http://127.0.0.1:1', '--profile', '../x'], { stdin: 'msk_x' });

  expect(login).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining('"../x"') } });
});
