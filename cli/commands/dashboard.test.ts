import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import Dashboard from './dashboard.js';
import Sessions from './sessions/index.js';
import SessionsRevoke from './sessions/revoke.js';

async function setUp(app: TestApp): Promise<CommandLine> {
  return CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
}

async function emptyFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'memory-browser-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Makes a program under the names that platforms open addresses with. It writes its argument to a file. */
async function fakeBrowser(): Promise<{ path: string; opened: () => Promise<string> }> {
  const folder = await emptyFolder();
  const file = join(folder, 'opened');
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(folder, name), `#!/bin/sh\nprintf %s "$1" > '${file}'\n`);
    await chmod(join(folder, name), 0o700);
  }
  const opened = () => vi.waitFor(async () => (await readFile(file, 'utf8')) || Promise.reject(new Error('empty')));
  return { path: `${folder}:${process.env.PATH}`, opened };
}

test('in a pipe, prints a link that signs in the user of the token, and opens nothing', async () => {
  const app = await testApp();
  const line = await setUp(app);

  const { stdout, stderr, result } = await line.run(Dashboard, [], { env: { PATH: await emptyFolder() } });
  const code = new URL(stdout.trim()).hash.slice(1);
  const answer = await app.send('POST', '/api/session/links/redeem', { code }, { authorization: undefined });

  expect(stdout).toBe(`${result?.link}\n`);
  expect(stderr).toBe('');
  expect(answer).toMatchObject({ status: 201, body: { user: { email: 'owner@localhost' } } });
});

test('completes a link without a public URL with the address of the service', async () => {
  const app = await testApp({ access: { wildcard: true, secureCookies: false, publicUrl: undefined } });
  const line = await setUp(app);

  const { stdout } = await line.run(Dashboard, []);

  expect(stdout).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${app.port}/welcome#[\\w-]{43}\n$`));
});

test('opens the link in the browser on request, and prints it without a browser too', async () => {
  const line = await setUp(await testApp());
  const { path, opened } = await fakeBrowser();
  const desktop = { DISPLAY: ':0' };
  const nowhere = { PATH: path, DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' };

  const withBrowser = await line.run(Dashboard, ['--open'], { env: { ...desktop, PATH: path } });
  const address = await opened();
  const without = await line.run(Dashboard, ['--open'], { env: { ...desktop, PATH: await emptyFolder() } });
  const withoutDesktop = await line.run(Dashboard, ['--open'], { env: nowhere });

  expect(address).toBe(withBrowser.stdout.trim());
  for (const ran of process.platform === 'linux' ? [without, withoutDesktop] : [without]) {
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('no browser was found') });
    expect(ran.stdout).toMatch(/#[\w-]{43}\n$/);
  }
});

test.each([
  [true, []],
  [false, ['--no-open']],
  [false, ['--json']],
])('on a terminal, it is %s that it opens the link with %j', async (opens, flags) => {
  const line = await setUp(await testApp());
  const { isTTY } = process.stdout;
  onTestFinished(() => {
    process.stdout.isTTY = isTTY;
  });
  process.stdout.isTTY = true;

  const { stderr, exitCode } = await line.run(Dashboard, flags, {
    env: { PATH: await emptyFolder(), DISPLAY: ':0' },
  });

  expect(exitCode).toBe(0);
  expect(stderr.includes('no browser was found')).toBe(opens);
});

test('lists the sessions that links began, and ends one', async () => {
  const app = await testApp();
  const line = await setUp(app);
  const { result } = await line.run(Dashboard, []);
  const code = result?.link.split('#')[1];
  const software = { authorization: undefined, 'user-agent': 'a browser' };
  const { body } = await app.send('POST', '/api/session/links/redeem', { code }, software);
  const { id } = body.credential as { id: string };

  const listed = await line.run(Sessions, []);
  const revoked = await line.run(SessionsRevoke, [id]);
  const after = await line.run(Sessions, []);
  const again = await line.run(SessionsRevoke, [id]);

  expect(listed.stdout).toMatch(new RegExp(`${id} .*127\\.0\\.0\\.1 +a browser`));
  expect(revoked.result).toEqual({ id, revoked: true });
  expect(after.result).toEqual({ sessions: [] });
  expect(again.exitCode).toBe(3);
});
