interface Access {
  /** Address of the service, without a slash at the end. */
  url: string;
  key: string;
}

interface Block {
  /** The file or program that the text is for. */
  label: string;
  code: string;
}

interface ClientSettings {
  id: string;
  title: string;
  note?: string;
  blocks: (access: Access) => readonly Block[];
}

const environment = ({ url, key }: Access) => `export MEMORY_BASE_URL=${url} MEMORY_TOKEN=${key}`;

/** The settings to copy into each client. The texts are those of README.md and docs/mcp.md, which a test compares. */
export const CLIENT_SETTINGS: readonly ClientSettings[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    blocks: ({ url, key }) => [
      {
        label: 'Shell',
        code: `claude mcp add --transport http memory ${url}/mcp --header "Authorization: Bearer ${key}"`,
      },
    ],
  },
  {
    id: 'cursor',
    title: 'Cursor',
    blocks: ({ url, key }) => [
      {
        label: '~/.cursor/mcp.json',
        code: `{
  "mcpServers": {
    "memory": {
      "url": "${url}/mcp",
      "headers": { "Authorization": "Bearer ${key}" }
    }
  }
}`,
      },
    ],
  },
  {
    id: 'vs-code',
    title: 'VS Code',
    note: 'VS Code asks for the key once and keeps it.',
    blocks: ({ url }) => [
      {
        label: '.vscode/mcp.json',
        code: `{
  "inputs": [{ "type": "promptString", "id": "memory-token", "description": "Token of Memory Service", "password": true }],
  "servers": {
    "memory": {
      "type": "http",
      "url": "${url}/mcp",
      "headers": { "Authorization": "Bearer \${input:memory-token}" }
    }
  }
}`,
      },
    ],
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    note: 'Claude Desktop starts a program. Replace the path by that of your checkout.',
    blocks: ({ url, key }) => [
      {
        label: 'claude_desktop_config.json',
        code: `{
  "mcpServers": {
    "memory": {
      "command": "node",
      "args": ["/path/to/memory-service/mcp/bin/memory-mcp.js"],
      "env": { "MEMORY_BASE_URL": "${url}", "MEMORY_TOKEN": "${key}" }
    }
  }
}`,
      },
    ],
  },
  {
    id: 'sdk',
    title: 'SDK',
    blocks: (access) => [
      { label: 'Shell', code: environment(access) },
      {
        label: 'try.mjs',
        code: `import { MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient(); // reads MEMORY_BASE_URL and MEMORY_TOKEN
const { results } = await client.search({ query: 'Who leads the platform team?', limit: 2 });
for (const { score, content } of results) console.log(score.toFixed(2), content);`,
      },
    ],
  },
  {
    id: 'cli',
    title: 'CLI',
    blocks: (access) => [
      { label: 'Shell', code: `${environment(access)}\nnpx memory search "when is lunch?" --limit 1` },
    ],
  },
  {
    id: 'curl',
    title: 'curl',
    blocks: ({ url, key }) => [
      {
        label: 'Shell',
        code: `curl -s ${url}/api/memories/search -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\
  -d '{"query": "when do we deploy?", "limit": 1}'`,
      },
    ],
  },
];
