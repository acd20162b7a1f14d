import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtPackage, ServerProcess } from '../server/testing/processes/server-process.js';
import { displayWidth } from './lib/output/display-width.js';
import { PROGRAM } from './testing/memory-process.js';
import { runInPipe, runInTerminal, type Shown, type TerminalOptions } from './testing/pseudo-terminal.js';

const docs = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8');
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const DRIVER = fileURLToPath(new URL('testing/run-steps.mjs', import.meta.url));
const CLEAR_LINE = '\r\u001b[K';
const SEPARATOR = '=== step ';
const NOTES = '{"content":"Cleo likes juice."}\n{"content":"Dan likes water.","metadata":{"kind":"note"}}\n';

interface Step {
  command: string;
  /** With `{name}` for the id that an earlier step printed, and `{name:}` for its end. */
  args?: readonly string[];
  /** The name of the id that the step prints. */
  as?: string;
  /** True if the step ends with an error. */
  fails?: true;
}

/** Every command of docs/cli.md, in an order in which each has something to work on. */
const STEPS: readonly Step[] = [
  { command: 'login' },
  { command: 'whoami' },
  { command: 'health' },
  { command: 'doctor' },
  { command: 'settings update', args: ['--subject-key-type', 'string'] },
  { command: 'settings' },
  { command: 'add', args: ['Ana likes tea.', '--metadata', 'kind=note', '--subject', 'ana'], as: 'tea' },
  { command: 'add', args: ['Ben likes coffee.', '--expires', '7d'], as: 'coffee' },
  { command: 'get', args: ['{tea:}'] },
  { command: 'recent' },
  { command: 'search', args: ['who likes tea?', '--explain'] },
  { command: 'similar', args: ['{tea}'] },
  { command: 'update', args: ['{tea}', '--text', 'Ana likes green tea.'] },
  { command: 'versions', args: ['{tea}'] },
  { command: 'versions restore', args: ['{tea}', '1'] },
  { command: 'stats' },
  { command: 'remove', args: ['{coffee}'] },
  { command: 'restore', args: ['{coffee}'] },
  { command: 'remove', args: ['{coffee}'] },
  { command: 'purge', args: ['{coffee}', '--yes'] },
  { command: 'import', args: ['notes.ndjson'] },
  { command: 'import', args: ['guide.md'] },
  { command: 'export', args: ['--kind', 'note'] },
  { command: 'export', args: ['all.archive'] },
  { command: 'changes', args: ['--since', '1h'] },
  { command: 'documents' },
  { command: 'documents get', args: ['import/guide.md'] },
  { command: 'documents remove', args: ['import/guide.md', '--yes'] },
  { command: 'subjects erase', args: ['ana', '--yes'] },
  { command: 'usage' },
  { command: 'subscription' },
  { command: 'audit', args: ['--since', '1h'] },
  { command: 'audit export', args: ['--action', 'memory.delete'] },
  { command: 'tokens create', args: ['planner', '--ability', 'memory:search'], as: 'token' },
  { command: 'tokens' },
  { command: 'tokens revoke', args: ['{token}'] },
  { command: 'invitations create', args: ['ben@example.test'] },
  { command: 'invitations', as: 'invitation' },
  { command: 'invitations revoke', args: ['{invitation}'] },
  { command: 'members' },
  { command: 'members update', args: [UNKNOWN, '--role', 'readonly'], fails: true },
  { command: 'members remove', args: [UNKNOWN], fails: true },
  { command: 'organization rename', args: ['Tea room'] },
  { command: 'organization' },
  { command: 'sessions' },
  { command: 'sessions revoke', args: [UNKNOWN], fails: true },
  { command: 'webhooks inbound create', args: ['codehost', '--name', 'acme/api'], as: 'sender' },
  { command: 'webhooks inbound' },
  { command: 'webhooks inbound get', args: ['{sender}'] },
  { command: 'webhooks inbound update', args: ['{sender}', '--no-enabled'] },
  { command: 'webhooks inbound rotate', args: ['{sender}'] },
  { command: 'webhooks inbound deliveries', args: ['{sender}'] },
  { command: 'webhooks inbound delete', args: ['{sender}'] },
  { command: 'webhooks outbound create', args: ['http://127.0.0.1:9/hook'], as: 'endpoint' },
  { command: 'webhooks outbound' },
  { command: 'webhooks outbound get', args: ['{endpoint}'] },
  { command: 'webhooks outbound update', args: ['{endpoint}', '--no-enabled'] },
  { command: 'webhooks outbound rotate', args: ['{endpoint}'] },
  { command: 'webhooks outbound deliveries', args: ['{endpoint}'] },
  { command: 'webhooks outbound delivery', args: ['{endpoint}', UNKNOWN], fails: true },
  { command: 'webhooks outbound redeliver', args: ['{endpoint}', UNKNOWN], fails: true },
  { command: 'webhooks outbound test', args: [UNKNOWN], fails: true },
  { command: 'webhooks outbound delete', args: ['{endpoint}'] },
  { command: 'dashboard', args: ['--no-open'] },
  { command: 'profiles use', args: ['default'] },
  { command: 'profiles' },
  { command: 'profiles remove', args: ['staging'], fails: true },
  { command: 'mcp install', args: ['vscode', '--print'] },
  { command: 'logout' },
];

type Run = (words: readonly string[], options: TerminalOptions) => Promise<Shown>;

/** Runs all steps for a user of a service of their own, and returns what each showed. */
async function shownBy(run: Run): Promise<{ command: string; text: string; code: number }[]> {
  const { options, token } = await setUp();
  const steps = STEPS.map(({ args = [], ...step }) => ({
    ...step,
    args,
    ...(step.command === 'login' && { env: { MEMORY_TOKEN: token } }),
  }));
  const file = join(options.cwd, 'steps.json');
  await writeFile(file, JSON.stringify({ steps, separator: SEPARATOR }));
  const { text } = await run([process.execPath, DRIVER, file], options);
  // A part before the first separator, then for each step its command with its text, and its code.
  const parts = text.split(SEPARATOR).slice(1);
  return STEPS.map(({ command }, at) => ({
    command,
    text: (parts[at * 2] ?? '').slice(command.length).replace(/^\r?\n/, ''),
    code: Number(parts[at * 2 + 1]),
  }));
}

async function setUp(): Promise<{ options: TerminalOptions; token: string }> {
  const cwd = await mkdtemp(join(tmpdir(), 'memory-terminal-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const server = await ServerProcess.start(builtPackage('server'), join(cwd, 'served'), { APP_ENV: 'local' });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  await writeFile(join(cwd, 'notes.ndjson'), NOTES);
  await writeFile(join(cwd, 'guide.md'), 'A sentence of the guide. '.repeat(200));
  const env = { HOME: cwd, MEMORY_CONFIG_DIR: join(cwd, 'config'), MEMORY_BASE_URL: server.url };
  return { options: { env, cwd }, token: server.credentials.token };
}

/** Replaces what differs between two services, and what a terminal shows only for a moment. */
function normalized(text: string): string {
  return stripVTControlCharacters(withoutProgress(text))
    .replaceAll('\r\n', '\n')
    .replace(UUID, '<id>')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:]{5,8}(?:\.\d+)?Z?/g, '<time>')
    .replace(/\b(?:msk|whsec|mwi|mws)_\S+|#[\w-]{43}|\b[0-9a-f]{64}\b|…\w{4}\b/g, '<secret>')
    .replace(/127\.0\.0\.1:\d+/g, '<address>')
    .replace(/\S*memory-terminal-\w+/g, '<home>')
    .replace(/accept\/[\w-]{43}/g, 'accept/<secret>')
    .replace(/\b[\d.]+ (?:ms|s)\b/g, '<duration>')
    .replace(/\b\d\.\d{3}\b/g, '<score>')
    .replace(/[ ]+/g, ' ');
}

/** Removes the texts that the progress writes over. */
function withoutProgress(text: string): string {
  const parts = text.split(CLEAR_LINE);
  return parts.map((part, at) => (at < parts.length - 1 ? part.replace(/[^\n]*$/, '') : part)).join('');
}

const HAS_SCRIPT = execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');

describe.runIf(HAS_SCRIPT)('every command', () => {
  test('is one of the steps', () => {
    const listed = Array.from(docs.matchAll(/^\| `memory ([^`]+)` \|/gm), ([, id = '']) => id);

    expect([...new Set(STEPS.map(({ command }) => command))].sort()).toEqual(listed.sort());
  });

  test('shows the same on a terminal and in a pipe', async () => {
    const [inTerminal, inPipe] = await Promise.all([shownBy(runInTerminal), shownBy(runInPipe)]);

    const of = (shown: typeof inPipe) => shown.map(({ text, ...others }) => ({ ...others, text: normalized(text) }));
    expect(of(inTerminal)).toEqual(of(inPipe));
    for (const { text } of inPipe) expect([text.includes('\u001b'), text.includes('\r')]).toEqual([false, false]);
    const failed = (steps: readonly { command: string }[]) => steps.map(({ command }) => command);
    expect(failed(inPipe.filter(({ code }) => code !== 0))).toEqual(failed(STEPS.filter(({ fails }) => fails)));
  });

  test('fits its tables into the terminal, with a bold heading', async () => {
    const { options, token } = await setUp();
    const env = { ...options.env, MEMORY_TOKEN: token };
    const memory = [process.execPath, PROGRAM];
    const content = 'お茶とコーヒー、どちらが好きですか。'.repeat(5);
    await runInPipe([...memory, 'add', content], { ...options, env });

    const narrow = await runInTerminal([...memory, 'recent'], { ...options, env, columns: 90 });
    const plain = await runInTerminal([...memory, 'recent'], {
      ...options,
      env: { ...env, NO_COLOR: '1' },
      columns: 90,
    });
    const widths = plain.text.trimEnd().split('\r\n').map(displayWidth);

    expect(narrow.text.startsWith('\u001b[1mID ')).toBe(true);
    expect(plain.text).not.toContain('\u001b');
    expect(plain.text).toMatch(/ お茶とコーヒ.*…\r\n$/);
    expect(widths).toHaveLength(2);
    expect(Math.max(...widths)).toBeLessThanOrEqual(90);
    expect(Math.max(...widths)).toBeGreaterThanOrEqual(89);
  });

  test('keeps the summary of an import on the terminal, below no rest of its progress', async () => {
    const { options, token } = await setUp();
    const env = { ...options.env, MEMORY_TOKEN: token };

    const { text } = await runInTerminal([process.execPath, PROGRAM, 'import', 'notes.ndjson'], { ...options, env });

    expect(text).toContain('0 of 2 entries');
    expect(text.split(CLEAR_LINE).at(-1)).toBe('2 entries, 2 created, 0 failed\r\n');
  });
});
