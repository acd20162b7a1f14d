import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { writeCredentials } from '../config/credentials.js';
import { runProgram } from '../testing/processes/run-program.js';
import { builtPackage, ServerProcess } from '../testing/processes/server-process.js';

const LINK = /http:\/\/\S+\/welcome#([\w-]{43})\n/;

test('prints links that a server redeems: for the only owner, or for the person with an address', async () => {
  const dataDir = await folder();
  const owner = await provisioned(dataDir, ['--organization', 'Acme', '--owner', 'maria@example.test']);
  const { organizationId } = owner;
  const more = ['--organization-id', organizationId, '--owner', 'jo@example.test', '--role', 'member'];
  const member = await provisioned(dataDir, more);

  const printed = [await dashboard(dataDir), await dashboard(dataDir, ['--email', 'JO@example.test'])];
  const unknown = await dashboard(dataDir, ['--email', 'nobody@example.test']);

  expect(printed.map(({ code }) => code)).toEqual([0, 0]);
  expect(unknown).toMatchObject({ code: 2, output: '', errors: 'Nobody has the address nobody@example.test\n' });
  const codes = [...printed.map(({ output }) => LINK.exec(output)?.[1] ?? ''), codeIn(owner.link), codeIn(member.link)];
  // A server that creates no first organization writes no credentials.
  writeCredentials(dataDir, { baseUrl: '', ...owner });
  const server = await ServerProcess.start(builtPackage('server'), dataDir);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const users = [];
  for (const code of codes) {
    const { user } = await new MemoryClient({ baseUrl: server.url, token: '' }).session.redeemLink({ code });
    users.push(user.email);
  }
  expect(users).toEqual(['maria@example.test', 'jo@example.test', 'maria@example.test', 'jo@example.test']);
});

test('asks the running server for the link of the first start’s owner, and says what else to do', async () => {
  const dataDir = await folder();
  const server = await ServerProcess.start(builtPackage('server'), dataDir);
  onTestFinished(() => server[Symbol.asyncDispose]());

  const own = await dashboard(dataDir);
  const named = await dashboard(dataDir, ['--email', 'OWNER@localhost']);
  const other = await dashboard(dataDir, ['--email', 'jo@example.test']);

  const client = new MemoryClient({ baseUrl: server.url, token: '' });
  for (const { output } of [own, named]) {
    const { user } = await client.session.redeemLink({ code: LINK.exec(output)?.[1] ?? '' });
    expect(user.email).toBe('owner@localhost');
  }
  expect(other).toMatchObject({ code: 1, output: '' });
  expect(other.errors).toMatch(/A server is using the data folder[\s\S]*memory dashboard/);
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'memory-dashboard-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

function dashboard(dataDir: string, args: readonly string[] = []) {
  return runProgram('main.cjs', ['dashboard', ...args], { SERVICE_DATA_DIR: dataDir });
}

interface Provisioned {
  organizationId: string;
  token: string;
  link: string;
}

async function provisioned(dataDir: string, args: readonly string[]): Promise<Provisioned> {
  const { output } = await runProgram('operator/provision.js', [...args, '--json'], { SERVICE_DATA_DIR: dataDir });
  return JSON.parse(output);
}

function codeIn(link: string): string {
  return new URL(link).hash.slice(1);
}
