import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jobHandlers } from '../../server/jobs/handlers.js';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import Add from './add.js';
import AuditExport from './audit/export.js';
import Audit from './audit/index.js';
import Doctor from './doctor.js';
import Health from './health.js';
import InvitationsCreate from './invitations/create.js';
import Invitations from './invitations/index.js';
import InvitationsRevoke from './invitations/revoke.js';
import Login from './login.js';
import Logout from './logout.js';
import Members from './members/index.js';
import MembersRemove from './members/remove.js';
import MembersUpdate from './members/update.js';
import Organization from './organization/index.js';
import OrganizationRename from './organization/rename.js';
import Settings from './settings/index.js';
import SettingsUpdate from './settings/update.js';
import SubjectsErase from './subjects/erase.js';
import Subscription from './subscription.js';
import TokensCreate from './tokens/create.js';
import Tokens from './tokens/index.js';
import TokensRevoke from './tokens/revoke.js';
import Usage from './usage.js';
import Whoami from './whoami.js';

async function setUp(): Promise<{ app: TestApp; line: CommandLine; baseUrl: string }> {
  const app = await testApp();
  const baseUrl = `http://127.0.0.1:${app.port}`;
  return { app, line: await CommandLine.create(['--base-url', baseUrl, '--token', app.token]), baseUrl };
}

describe('login', () => {
  test('saves a valid token, and logout deletes it', async () => {
    const { app, baseUrl } = await setUp();
    const line = await CommandLine.create();

    const login = await line.run(Login, ['--base-url', baseUrl], { stdin: `${app.token}\n` });
    const whoami = await line.run(Whoami, []);
    await line.run(Logout, []);
    const after = await line.run(Whoami, ['--base-url', baseUrl]);

    expect(login.result).toEqual({ baseUrl, organizationId: app.organizationId, profile: 'default' });
    expect(whoami.stdout).toContain(`(${app.organizationId})`);
    expect(whoami.stdout).toContain('from profile default');
    expect(after).toMatchObject({ exitCode: 4 });
    expect(after.error?.message).toContain('memory login');
  });

  test('does not save or repeat a token that is not valid', async () => {
    const { baseUrl } = await setUp();
    const line = await CommandLine.create();
    const token = 'msk_000000000000000000000000000000000000';

    const login = await line.run(Login, ['--base-url', baseUrl], { stdin: token });
    const after = await line.run(Whoami, ['--base-url', baseUrl]);

    expect(login.exitCode).toBe(4);
    expect(`${login.stdout}${login.stderr}${login.error?.message}`).not.toContain(token);
    expect(after.exitCode).toBe(4);
  });
});

test('a command uses the credentials that a service on this machine wrote at its first start', async () => {
  const { app, baseUrl } = await setUp();
  const line = await CommandLine.create();
  const folder = join(line.home, 'data');
  await mkdir(folder);
  const credentials = { baseUrl, organizationId: app.organizationId, token: app.token };
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(credentials));

  const added = await line.run(Add, ['Ana likes tea.'], { env: { SERVICE_DATA_DIR: folder } });

  expect(added.result?.outcome).toBe('created');
});

test('tokens are created, listed and revoked', async () => {
  const { app, line, baseUrl } = await setUp();

  const created = await line.run(TokensCreate, ['reader', '--ability', 'memory:search', '-a', 'memory:ingest']);
  const token = created.stdout.trim();
  const other = await CommandLine.create(['--base-url', baseUrl, '--token', token]);
  const used = await other.run(Add, ['Ana likes tea.']);
  const listed = await line.run(Tokens, []);
  await line.run(TokensRevoke, [created.result?.id ?? '']);
  const revoked = await other.run(Add, ['Ben likes coffee.']);
  const [left, all] = [await line.run(Tokens, []), await line.run(Tokens, ['--include-revoked'])];

  expect(token).toMatch(/^msk_/);
  expect(used.exitCode).toBe(0);
  expect(listed.stdout).toContain('reader');
  expect(listed.stdout).not.toContain(token);
  expect(listed.stdout).not.toContain(app.token);
  expect(revoked.exitCode).toBe(4);
  expect(left.stdout).not.toContain('reader');
  expect(all.stdout).toMatch(/reader .* owner@localhost\n/);
});

test('members and invitations are managed', async () => {
  const { line } = await setUp();
  const owner = (await line.run(Members, [])).result?.members[0];

  const invited = await line.run(InvitationsCreate, ['ben@example.test', '--role', 'readonly']);
  const open = await line.run(Invitations, []);
  await line.run(InvitationsRevoke, [invited.result?.id ?? '']);
  const none = await line.run(Invitations, []);
  const demoted = await line.run(MembersUpdate, [owner?.userId ?? '', '--role', 'member']);
  const unknown = await line.run(MembersRemove, ['0198c5a1-0000-7a31-9c55-1d2e3f4a5b6c']);

  expect(owner?.role).toBe('owner');
  expect(invited.stdout).toMatch(/https?:\/\/[^/]+\/invitations\/accept\/\S+\n$/);
  expect(open.stdout).toContain('ben@example.test');
  expect(none.stderr).toBe('no open invitations\n');
  expect(demoted).toMatchObject({ exitCode: 1, error: { code: 'last_owner' } });
  expect(unknown.exitCode).toBe(3);
});

test('settings that are not set are shown in words, and as null in JSON', async () => {
  const { line } = await setUp();

  const settings = await line.run(Settings, []);
  const changed = await line.run(SettingsUpdate, ['--deleted-retention-days', '90']);
  const reset = await line.run(SettingsUpdate, ['--deleted-retention-days', 'never']);

  expect(settings.stdout).toMatch(/^subjectKeyType +not chosen$/m);
  expect(settings.stdout).toMatch(/^deletedRetentionDays +never$/m);
  expect(settings.result).toMatchObject({ deletedRetentionDays: null });
  expect(changed.stdout).toMatch(/^deletedRetentionDays +90$/m);
  expect(reset).toMatchObject({
    stdout: expect.stringMatching(/^deletedRetentionDays +never$/m),
    result: { deletedRetentionDays: null },
  });
});

test('settings, usage, subscription and audit events are shown', async () => {
  const { line } = await setUp();
  const { result: added } = await line.run(Add, ['Ana likes tea.']);

  const changed = await line.run(SettingsUpdate, ['--subject-key-type', 'string', '--no-semantic-dedupe']);
  const settings = await line.run(Settings, []);
  const usage = await line.run(Usage, []);
  const days = await line.run(Usage, ['--days', '1']);
  const subscription = await line.run(Subscription, []);
  const audit = await line.run(Audit, ['--memory', added?.id ?? '']);

  expect(changed.exitCode).toBe(0);
  expect(settings.result).toMatchObject({ subjectKeyType: 'string', semanticDedupe: false });
  expect(usage.stdout).toContain('1 (no cap)');
  expect(days.stdout).toMatch(/^DAY +STORED +MERGED +REPLAYED +SEARCHED\n\S+ +1 +0 +0 +0\n$/);
  expect(subscription).toMatchObject({
    stdout: expect.stringMatching(/^subscription +none\nplan +none$/m),
    result: { subscription: null, plan: null },
  });
  expect(audit.stdout).toMatch(/memory\.ingest +token first start +rest +\S+ +created\n$/);
});

test('audit events are exported as lines and as CSV', async () => {
  const { line } = await setUp();
  await line.run(Add, ['Ana likes tea.']);
  await line.run(SettingsUpdate, ['--no-semantic-dedupe']);
  const path = join(line.home, 'audit.csv');

  const lines = await line.run(AuditExport, ['--action', 'memory.ingest', '--action', 'organization.settings']);
  const file = await line.run(AuditExport, ['--format', 'csv', '--output', path, '--source', 'rest']);
  const none = await line.run(AuditExport, ['--source', 'operator']);

  expect(lines.stdout.split('\n').map((text) => (text === '' ? '' : JSON.parse(text).action))).toEqual([
    'organization.settings',
    'memory.ingest',
    '',
  ]);
  expect(file.stderr).toBe(`audit events in ${path}\n`);
  expect((await readFile(path, 'utf8')).split('\r\n')).toEqual([
    expect.stringMatching(/^id,occurredAt,action,/),
    expect.stringContaining(',organization.settings,'),
    expect.stringContaining(',memory.ingest,'),
    '',
  ]);
  expect(none.stdout).toBe('');
});

test('the organization is shown and renamed', async () => {
  const { app, line } = await setUp();

  const renamed = await line.run(OrganizationRename, ['Acme research']);
  const shown = await line.run(Organization, []);

  expect(renamed.exitCode).toBe(0);
  expect(shown.result).toMatchObject({ id: app.organizationId, name: 'Acme research' });
  expect(shown.stdout).toContain('Acme research');
});

test('a subject is erased only with --yes, and the receipt is printed', async () => {
  const { app, line } = await setUp();
  await app.deps.jobs.start(jobHandlers(app.deps));
  await line.run(SettingsUpdate, ['--subject-key-type', 'integer']);
  await line.run(Add, ['Ana likes tea.', '--subject', '17']);

  const unconfirmed = await line.run(SubjectsErase, ['17']);
  const erased = await line.run(SubjectsErase, ['17', '--yes']);

  expect(unconfirmed).toMatchObject({ exitCode: 2 });
  expect(unconfirmed.error?.message).toContain('--yes');
  expect(erased.result).toMatchObject({ status: 'done', counts: { memories: 1 } });
  expect(erased.stdout).toMatch(/^memories +1$/m);
});

describe('health and doctor', () => {
  test('report that all checks pass', async () => {
    const { line } = await setUp();

    const health = await line.run(Health, []);
    const doctor = await line.run(Doctor, []);

    expect(health.stdout).toMatch(/^ok\n {2}store: ok/);
    expect(doctor.result?.findings.every(({ ok }) => ok)).toBe(true);
    expect(doctor.exitCode).toBe(0);
  });

  test('report a store that is down', async () => {
    const { app, line } = await setUp();
    app.store.down = 'memories';

    const health = await line.run(Health, []);

    expect(health).toMatchObject({ exitCode: 5, result: { status: 'down' } });
  });

  test('say what to do if the service does not respond or there is no token', async () => {
    const { baseUrl } = await setUp();
    const line = await CommandLine.create();

    const nobody = await line.run(Doctor, ['--base-url', 'http://127.0.0.1:1']);
    const stranger = await line.run(Doctor, ['--base-url', baseUrl]);

    expect(nobody.exitCode).toBe(1);
    expect(nobody.stdout).toContain('start the service');
    expect(stranger.exitCode).toBe(1);
    expect(stranger.stdout).toContain('run "memory login"');
  });
});
