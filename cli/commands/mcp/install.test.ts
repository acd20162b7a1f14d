import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CLIENT_NAMES, CLIENTS } from '../../mcp-clients/clients.js';
import { CommandLine } from '../../testing/command-line.js';
import McpInstall from './install.js';

const TOKEN = 'msk_0123456789';
const URL = 'https://memory.example.com/mcp';
const LOGIN = ['--base-url', 'https://memory.example.com', '--token', TOKEN];

/** Runs the command for a user in a temporary home, and in a repository inside of it. */
async function setUp(credentials: readonly string[] = LOGIN) {
  const line = await CommandLine.create(credentials);
  const folder = join(line.home, 'repository');
  await mkdir(folder);
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => cwd.mockRestore());
  const env = { HOME: line.home, USERPROFILE: line.home, XDG_CONFIG_HOME: '', CODEX_HOME: '', APPDATA: '' };
  return {
    home: line.home,
    folder,
    install: (argv: readonly string[], stdin?: string) =>
      line.run(McpInstall, argv, { env, ...(stdin !== undefined && { stdin }) }),
    write: async (path: string, text: string) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    },
  };
}

describe('memory mcp install', () => {
  test('adds the server of Claude Code to the file of the user, keeps the rest, and says that the token is in it', async () => {
    const { home, install, write } = await setUp();
    const file = join(home, '.claude.json');
    await write(file, '{\n  "projects": {},\n  "mcpServers": {\n    "other": { "url": "x" }\n  }\n}\n');

    const { stdout, stderr, result } = await install(['claude', '--yes']);

    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      projects: {},
      mcpServers: {
        other: { url: 'x' },
        memory: { type: 'http', url: URL, headers: { Authorization: `Bearer ${TOKEN}` } },
      },
    });
    expect(result).toEqual({ client: 'claude', file, written: true, containsToken: true });
    expect(stdout).toContain('it contains your access token');
    expect(stderr).toContain('+     "memory": {');
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  test('writes a reference to the token into the file of a repository', async () => {
    const { folder, install } = await setUp();

    for (const [client, file, reference] of [
      ['claude', '.mcp.json', `\${MEMORY_TOKEN}`],
      ['cursor', '.cursor/mcp.json', `\${env:MEMORY_TOKEN}`],
      ['vscode', '.vscode/mcp.json', `\${input:memory-token}`],
      ['codex', '.codex/config.toml', 'bearer_token_env_var = "MEMORY_TOKEN"'],
    ] as const) {
      const { result } = await install([client, '--repository', '--yes']);
      const text = await readFile(join(folder, file), 'utf8');
      expect(result).toMatchObject({ written: true, containsToken: false });
      expect(text).toContain(reference);
      expect(text).not.toContain(TOKEN);
    }
  });

  test('warns before it writes the token itself into the file of a repository', async () => {
    const { folder, install } = await setUp();

    const { stderr } = await install(['cursor', '--repository', '--write-token', '--yes']);

    expect(stderr).toMatch(/^warning: .*shared with everybody who has this repository, and will contain your token/);
    expect(await readFile(join(folder, '.cursor/mcp.json'), 'utf8')).toContain(TOKEN);
  });

  test('adds the input for the token of VS Code once, and keeps comments and other inputs', async () => {
    const { folder, install, write } = await setUp();
    const file = join(folder, '.vscode/mcp.json');
    await write(file, '{\n  // Ours.\n  "inputs": [{ "id": "other" }],\n  "servers": {}\n}\n');

    await install(['vscode', '--repository', '--yes']);
    const once = await readFile(file, 'utf8');
    const again = await install(['vscode', '--repository', '--yes']);

    expect(once).toContain('// Ours.');
    expect(JSON.parse(once.replace('// Ours.', ''))).toMatchObject({
      inputs: [{ id: 'other' }, { id: 'memory-token', type: 'promptString', password: true }],
      servers: { memory: { type: 'http', url: URL } },
    });
    expect(again).toMatchObject({ result: { written: false }, stdout: `${file} has these settings already\n` });
    expect(await readFile(file, 'utf8')).toBe(once);
  });

  test('binds the connection, in headers or in the environment of the program', async () => {
    const { home, install } = await setUp();
    const bound = ['--subject-key', 'Am\u00e9lie', '--project', 'atlas', '--tools', 'core', '--yes'];

    await install(['cursor', ...bound]);
    await install(['codex', ...bound]);
    const desktop = await install(['claude-desktop', ...bound]);

    const cursor = JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8'));
    expect(cursor.mcpServers.memory.headers).toMatchObject({
      'X-Memory-Subject-Key': 'Am%C3%A9lie',
      'X-Memory-Project': 'atlas',
      'X-Memory-Tools': 'core',
    });
    expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toContain(
      'http_headers = { X-Memory-Subject-Key = "Am%C3%A9lie", X-Memory-Project = "atlas", X-Memory-Tools = "core" }',
    );
    expect(JSON.parse(await readFile(desktop.result?.file ?? '', 'utf8'))).toEqual({
      mcpServers: {
        memory: {
          command: 'npx',
          args: ['-y', '@memory-service/mcp'],
          env: {
            MEMORY_BASE_URL: 'https://memory.example.com',
            MEMORY_TOKEN: TOKEN,
            MEMORY_SUBJECT_KEY: 'Am\u00e9lie',
            MEMORY_PROJECT: 'atlas',
            MEMORY_TOOLS: 'core',
          },
        },
      },
    });
  });

  test('writes nothing before it is confirmed', async () => {
    const { home, install } = await setUp();
    const file = join(home, '.cursor/mcp.json');

    const piped = await install(['cursor'], 'y\n');
    const asJson = await install(['cursor', '--json']);
    const unanswered = await install(['cursor']);

    expect(unanswered).toMatchObject({ exitCode: 0, stdout: 'nothing was written\n' });
    expect(unanswered.stderr).toContain('Write it? [y/N] ');
    expect(piped).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining('--yes') } });
    expect(asJson.exitCode).toBe(2);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('prints the settings without the token, and writes nothing', async () => {
    const { home, install } = await setUp([]);

    for (const client of CLIENT_NAMES) {
      const { stdout, result } = await install([client, '--print']);
      expect(result).toMatchObject({ written: false });
      expect(stdout).toContain('memory');
    }
    await expect(stat(join(home, '.cursor'))).rejects.toThrow('ENOENT');
  });

  test('needs a token for a file that contains it', async () => {
    const { install } = await setUp(['--base-url', 'https://memory.example.com']);

    expect(await install(['claude', '--yes'])).toMatchObject({ exitCode: 4 });
    expect(await install(['cursor', '--yes'])).toMatchObject({ exitCode: 0, result: { written: true } });
  });

  test.each([
    ['claude', '.claude.json', '{"mcpServers": [', 'is not valid JSON'],
    ['codex', '.codex/config.toml', 'mcp_servers = {}\n', 'is not a table of its own'],
  ])('leaves the file of %s alone if it cannot be changed safely', async (client, path, text, message) => {
    const { home, install, write } = await setUp();
    await write(join(home, path), text);

    const refused = await install([client, '--yes']);

    expect(refused).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining(message) } });
    expect(await readFile(join(home, path), 'utf8')).toBe(text);
  });

  test('refuses a repository file of a client that has none, and an empty subject', async () => {
    const { install } = await setUp();

    expect(await install(['claude-desktop', '--repository', '--yes'])).toMatchObject({ exitCode: 2 });
    expect(await install(['cursor', '--subject-key', ' ', '--yes'])).toMatchObject({ exitCode: 2 });
  });

  test('creates a file that only its owner can read, and keeps a link to it', async () => {
    const { home, install, write } = await setUp();
    const file = join(home, 'dotfiles', 'mcp.json');
    await write(file, '{}');
    await mkdir(join(home, '.cursor'));
    await symlink(file, join(home, '.cursor/mcp.json'));

    await install(['claude', '--yes']);
    await install(['cursor', '--yes']);

    expect((await stat(join(home, '.claude.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(URL);
  });
});

describe('the file of a client', () => {
  const at = (platform: string, env: Record<string, string> = {}) =>
    CLIENT_NAMES.map((name) => CLIENTS[name].ownFile({ platform, env, home: '/home/ana', folder: '/repo' }));

  test('is where its product looks on each platform', () => {
    expect(at('linux')).toEqual([
      '/home/ana/.claude.json',
      '/home/ana/.config/Claude/claude_desktop_config.json',
      '/home/ana/.cursor/mcp.json',
      '/home/ana/.config/Code/User/mcp.json',
      '/home/ana/.codex/config.toml',
    ]);
    expect(at('darwin')[1]).toBe('/home/ana/Library/Application Support/Claude/claude_desktop_config.json');
    expect(at('darwin')[3]).toBe('/home/ana/Library/Application Support/Code/User/mcp.json');
    expect(at('win32', { APPDATA: '/roaming' })[3]).toBe('/roaming/Code/User/mcp.json');
    expect(at('linux', { CODEX_HOME: '/codex' })[4]).toBe('/codex/config.toml');
  });
});
