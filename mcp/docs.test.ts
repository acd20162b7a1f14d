import { readFileSync } from 'node:fs';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_CHARS, MAX_CHARS, MAX_CONTEXT_TOKENS } from './size.js';
import { compileTools, toCatalog } from './tools/catalog.js';

const text = readFileSync(new URL('../docs/mcp.md', import.meta.url), 'utf8');

describe('docs/mcp.md', () => {
  test('lists every tool with its operation and ability in the contract', async () => {
    const contract = parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8'));
    const paths = contract.paths as Record<
      string,
      Record<string, { operationId: string; security: { bearer: string[] }[] }>
    >;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
    );

    const rows = Array.from(toCatalog(compileTools(contract)).values(), ({ tool }) => {
      const called = [tool.operationId, ...(tool.also ?? [])];
      const found = called.map((id) => operations.find(({ operationId }) => operationId === id)!);
      const [ability] = found[0]?.security[0]?.bearer ?? [];
      const names = found.map(({ method, path }) => `\`${method} ${path}\``).join(', ');
      return `| \`${tool.name}\` | ${names} | ${ability ? `\`${ability}\`` : 'none'} |`;
    });

    expect(text.match(/^\| `\w+` \| `(?:GET|POST|PUT|PATCH|DELETE) .*$/gm)).toEqual(rows);
  });

  test('contains only valid JSON configurations', () => {
    const blocks = Array.from(text.matchAll(/```json\n(.*?)```/gs), ([, json = '']) => json);

    expect(blocks.length).toBeGreaterThan(2);
    for (const block of blocks) expect(() => JSON.parse(block)).not.toThrow();
  });

  test('contains the sizes and protocol versions of the program', () => {
    const sizes = [DEFAULT_MAX_CHARS, MAX_CHARS.minimum, MAX_CHARS.maximum, DEFAULT_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS];
    const numbers = sizes.map((each) => each.toLocaleString('en'));

    for (const number of numbers) expect(text).toContain(number);
    for (const version of ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS.slice(0, 4)]) expect(text).toContain(version);
  });
});
