import { join } from 'node:path';
import { parseJsonText, setMember } from './json-text.js';
import { setTable } from './toml-text.js';

export const CLIENT_NAMES = ['claude', 'claude-desktop', 'cursor', 'vscode', 'codex'] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];

/** The service that a client connects to. */
export interface McpConnection {
  baseUrl: string;
  /** The token itself, to be written to the file. Undefined if the file refers to it. */
  token: string | undefined;
  organizationId?: string | undefined;
  subjectKey?: string | undefined;
  project?: string | undefined;
  tools?: string | undefined;
}

/** The surroundings of a client's settings. */
export interface Places {
  platform: string;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** The folder of the repository. */
  folder: string;
}

export interface McpClient {
  /** The name of the product. */
  title: string;
  /** The settings of the user. */
  ownFile: (places: Places) => string;
  /** The settings in a repository, relative to its folder. Undefined if the client has none. */
  sharedFile?: string;
  /** How the client gets the token if the file does not contain it. Undefined if its own file must contain it. */
  tokenSource?: string;
  /** The next step after the file was written. */
  next: string;
  /** Returns the text of the settings file with the server `name`. */
  write: (text: string, name: string, connection: McpConnection) => string;
}

const VARIABLE = 'MEMORY_TOKEN';
const FROM_ENVIRONMENT = `the environment variable ${VARIABLE}`;
const INPUT_ID = 'memory-token';

/** The clients whose settings `memory mcp install` writes. */
export const CLIENTS: Readonly<Record<ClientName, McpClient>> = {
  claude: {
    title: 'Claude Code',
    ownFile: ({ home }) => join(home, '.claude.json'),
    sharedFile: '.mcp.json',
    next: 'Start Claude Code again, then look at /mcp.',
    write: (text, name, connection) =>
      setMember(text, ['mcpServers', name], { type: 'http', ...remote(connection, `\${${VARIABLE}}`) }),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    ownFile: (places) => join(appFolder(places), 'Claude', 'claude_desktop_config.json'),
    next: 'Start Claude Desktop again.',
    write: (text, name, connection) => setMember(text, ['mcpServers', name], program(connection)),
  },
  cursor: {
    title: 'Cursor',
    ownFile: ({ home }) => join(home, '.cursor', 'mcp.json'),
    sharedFile: join('.cursor', 'mcp.json'),
    tokenSource: FROM_ENVIRONMENT,
    next: 'Reload the window of Cursor.',
    write: (text, name, connection) => setMember(text, ['mcpServers', name], remote(connection, `\${env:${VARIABLE}}`)),
  },
  vscode: {
    title: 'VS Code',
    ownFile: (places) => join(appFolder(places), 'Code', 'User', 'mcp.json'),
    sharedFile: join('.vscode', 'mcp.json'),
    tokenSource: 'a prompt of VS Code, which keeps it',
    next: 'Run "MCP: List Servers" in VS Code, and start the server.',
    write: (text, name, connection) => {
      const server = { type: 'http', ...remote(connection, `\${input:${INPUT_ID}}`) };
      const withServer = setMember(text, ['servers', name], server);
      return connection.token === undefined ? withTokenInput(withServer) : withServer;
    },
  },
  codex: {
    title: 'Codex',
    ownFile: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    sharedFile: join('.codex', 'config.toml'),
    tokenSource: FROM_ENVIRONMENT,
    next: 'Start Codex again, then look at /mcp.',
    write: (text, name, connection) => {
      const { Authorization, ...bound } = headersOf(connection, '');
      const headers = connection.token === undefined ? bound : { Authorization, ...bound };
      return setTable(text, ['mcp_servers', name], {
        url: urlOf(connection),
        ...(connection.token === undefined && { bearer_token_env_var: VARIABLE }),
        ...(Object.keys(headers).length > 0 && { http_headers: headers }),
      });
    },
  },
};

/** Returns the settings of a server over HTTP. */
function remote(connection: McpConnection, reference: string): { url: string; headers: Record<string, string> } {
  return { url: urlOf(connection), headers: headersOf(connection, reference) };
}

/** Returns the settings of the program, for clients that only start programs. */
function program({ baseUrl, token, organizationId, subjectKey, project, tools }: McpConnection): object {
  const env = {
    MEMORY_BASE_URL: baseUrl,
    ...(token !== undefined && { [VARIABLE]: token }),
    ...(organizationId !== undefined && { MEMORY_ORGANIZATION_ID: organizationId }),
    ...(subjectKey !== undefined && { MEMORY_SUBJECT_KEY: subjectKey }),
    ...(project !== undefined && { MEMORY_PROJECT: project }),
    ...(tools !== undefined && { MEMORY_TOOLS: tools }),
  };
  return { command: 'npx', args: ['-y', '@memory-service/mcp'], env };
}

function urlOf({ baseUrl }: McpConnection): string {
  return `${baseUrl.replace(/\/+$/, '')}/mcp`;
}

function headersOf(connection: McpConnection, reference: string): { Authorization: string } & Record<string, string> {
  const { token = reference, organizationId, subjectKey, project, tools } = connection;
  return {
    Authorization: `Bearer ${token}`,
    ...(organizationId !== undefined && { 'X-Organization-Id': organizationId }),
    ...(subjectKey !== undefined && { 'X-Memory-Subject-Key': encodeURIComponent(subjectKey) }),
    ...(project !== undefined && { 'X-Memory-Project': encodeURIComponent(project) }),
    ...(tools !== undefined && { 'X-Memory-Tools': tools }),
  };
}

/** Adds the input by which VS Code asks for the token, unless the file has it. */
function withTokenInput(text: string): string {
  const { inputs } = parseJsonText(text) as { inputs?: unknown };
  const given: unknown[] = Array.isArray(inputs) ? inputs : [];
  if (given.some((input) => (input as { id?: unknown } | null)?.id === INPUT_ID)) return text;
  const input = { type: 'promptString', id: INPUT_ID, description: 'Token of Memory Service', password: true };
  return setMember(text, ['inputs'], [...given, input]);
}

/** Returns the folder in which desktop applications keep settings. */
function appFolder({ platform, env, home }: Places): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}
