import { expect, test } from 'vitest';
import { testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import Add from './add.js';
import Get from './get.js';
import Recent from './recent.js';
import Remove from './remove.js';
import TokensCreate from './tokens/create.js';
import Tokens from './tokens/index.js';
import TokensRevoke from './tokens/revoke.js';

async function setUp(): Promise<CommandLine> {
  const app = await testApp();
  return CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
}

test('the end of an id that was printed is enough', async () => {
  const line = await setUp();
  const id = (await line.run(Add, ['Ana likes tea.'])).result?.id ?? '';

  const shown = await line.run(Get, [id.slice(-8)]);
  const removed = await line.run(Remove, [id.slice(-12)]);

  expect(shown.result).toMatchObject({ id, content: 'Ana likes tea.' });
  expect(removed.stdout).toBe(`deleted  ${id}\n`);
});

test('a list prints ids, unless it is for a program', async () => {
  const line = await setUp();
  const end = (await line.run(Add, ['Ana likes tea.', '--json'])).result?.id.slice(-8) ?? '';

  const unknown = await line.run(Get, [end]);
  await line.run(Recent, ['--json']);
  const stillUnknown = await line.run(Get, [end]);
  await line.run(Recent, []);
  const known = await line.run(Get, [end]);

  expect(unknown).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining('pass the whole id') } });
  expect(stillUnknown.exitCode).toBe(2);
  expect(known.exitCode).toBe(0);
});

test('an ambiguous part of an id is an error that lists the ids', async () => {
  const line = await setUp();
  const ids: string[] = [];
  for (const content of ['Ana likes tea.', 'Ben likes coffee.']) {
    ids.push((await line.run(Add, [content])).result?.id ?? '');
  }

  const removed = await line.run(Remove, [ids[0]?.slice(0, 8) ?? '']);
  const { result } = await line.run(Recent, []);

  expect(removed.exitCode).toBe(2);
  for (const id of ids) expect(removed.error?.message).toContain(id);
  expect(result?.results).toHaveLength(2);
});

test('other ids than those of memories have ends too', async () => {
  const line = await setUp();
  const id = (await line.run(TokensCreate, ['planner', '--ability', 'memory:search'])).result?.id ?? '';
  await line.run(Tokens, []);

  const revoked = await line.run(TokensRevoke, [id.slice(-8)]);

  expect(revoked.result).toEqual({ id, revoked: true });
});
