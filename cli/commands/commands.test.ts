import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from '@oclif/core';
import { describe, expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const docs = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');

interface Named {
  id: string;
  command: Command.Class;
}

const commands: Named[] = await Promise.all(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map(async (file) => ({
      id: file.replace(/(\/index)?\.ts$/, '').replaceAll('/', ' '),
      command: (await import(pathToFileURL(join(FOLDER, file)).href)).default as Command.Class,
    })),
);

describe.each(commands)('memory $id', ({ id, command }) => {
  test('has a description without a full stop, and an example', () => {
    expect(command.description).toMatch(/^[a-z].*[^.]$/s);
    expect(command.examples?.length).toBeGreaterThan(0);
    for (const example of command.examples ?? []) expect(example).toContain('<%= command.id %>');
  });

  test('describes every flag and argument', () => {
    const described = { ...command.flags, ...command.args };
    const silent = Object.entries(described).filter(([, { description }]) => !description);

    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('is in docs/cli.md with its description', () => {
    expect(docs).toContain(`| \`memory ${id}\` | ${command.description} |`);
  });
});

test('docs/cli.md lists no other commands', () => {
  const listed = Array.from(docs.matchAll(/^\| `memory ([^`]+)` \|/gm), ([, id]) => id);

  expect(listed.sort()).toEqual(commands.map(({ id }) => id).sort());
});
