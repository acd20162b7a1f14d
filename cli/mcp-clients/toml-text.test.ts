import { describe, expect, test } from 'vitest';
import { setTable, TomlTextError } from './toml-text.js';

const TABLE = ['mcp_servers', 'memory'] as const;
const VALUES = { url: 'https://memory.example.com/mcp', http_headers: { 'X-Memory-Project': 'atlas "2"' } };
const BLOCK = `[mcp_servers.memory]
url = "https://memory.example.com/mcp"
http_headers = { X-Memory-Project = "atlas \\"2\\"" }
`;

describe('setting a table', () => {
  test('of an empty text writes only the table', () => {
    expect(setTable('', TABLE, VALUES)).toBe(BLOCK);
  });

  test('adds it at the end, and keeps everything else', () => {
    const text = '# Mine.\nmodel = "x"\n\n[mcp_servers.other]\nurl = "y"\n';

    expect(setTable(text, TABLE, VALUES)).toBe(`${text}\n${BLOCK}`);
    expect(setTable('model = "x"', TABLE, VALUES)).toBe(`model = "x"\n\n${BLOCK}`);
  });

  test('replaces the table with its sub-tables, and keeps what is before and after', () => {
    const text = `[a]
b = 1

[mcp_servers.memory] # old
url = "old"
args = [
  "x",
  ["[mcp_servers.fake]"],
]

[mcp_servers.memory.env]
A = "b"

# Of the next table.
[mcp_servers."other one"]
url = "y"
`;

    expect(setTable(text, TABLE, VALUES)).toBe(`[a]
b = 1

${BLOCK}
# Of the next table.
[mcp_servers."other one"]
url = "y"
`);
  });

  test('recognizes quoted names, and is the same when it is repeated', () => {
    const once = setTable('[mcp_servers."memory"]\nurl = "old"\n', TABLE, VALUES);

    expect(once).toBe(BLOCK);
    expect(setTable(once, TABLE, VALUES)).toBe(once);
    expect(setTable('', ['mcp_servers', 'my memory'], { url: 'x' })).toBe('[mcp_servers."my memory"]\nurl = "x"\n');
  });

  test('ignores what looks like a table in a text of several lines', () => {
    const text = `notes = """
[mcp_servers.memory]
"""
`;

    expect(setTable(text, TABLE, VALUES)).toBe(`${text}\n${BLOCK}`);
  });

  test.each([
    'mcp_servers.memory.url = "x"\n',
    'mcp_servers = { memory = { url = "x" } }\n',
    '[mcp_servers]\nmemory = { url = "x" }\n',
    '[mcp_servers]\nmemory.url = "x"\n',
    '[mcp_servers.memory]\nurl = "x"\n[other]\n[mcp_servers.memory.env]\n',
  ])('refuses a text that has it in another form: %j', (text) => {
    expect(() => setTable(text, TABLE, VALUES)).toThrow(TomlTextError);
  });
});
