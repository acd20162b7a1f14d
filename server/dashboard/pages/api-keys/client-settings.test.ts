import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLIENT_SETTINGS } from './client-settings.js';

const folder = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');

/** The key that the documents show in the settings of each client. */
const OF_TOOLS = {
  'claude-code': '$MEMORY_TOKEN',
  cursor: `\${env:MEMORY_TOKEN}`,
  'vs-code': '',
  'claude-desktop': 'msk_...',
};

describe('settings of clients', () => {
  test.each(Object.entries(OF_TOOLS))('%s: are those of docs/mcp.md', (id, key) => {
    const blocks = blocksOf(id, { url: 'https://memory.example.com', key });

    for (const { code } of blocks) expect(read('docs/mcp.md')).toContain(code);
  });

  test.each(['sdk', 'cli', 'curl'])('%s: each line is one of README.md', (id) => {
    const blocks = blocksOf(id, { url: 'http://127.0.0.1:8080', key: 'msk_…' });

    const known = read('README.md')
      .replaceAll('$MEMORY_BASE_URL', 'http://127.0.0.1:8080')
      .replaceAll('$MEMORY_TOKEN', 'msk_…')
      // README.md searches the memories of one user, and a key works in organizations without subjects too.
      .replaceAll('user.search', 'client.search');
    const lines = blocks.flatMap(({ code }) => code.split('\n'));
    const isBody = (line: string) => line.startsWith("  -d '");
    for (const line of lines) if (!isBody(line)) expect(known).toContain(line);
  });
});

function blocksOf(id: string, access: { url: string; key: string }) {
  const settings = CLIENT_SETTINGS.find((client) => client.id === id);
  return settings?.blocks(access) ?? expect.fail(`no settings of ${id}`);
}
