// Keeps the files of Anthropic's memory tool in the service, one folder for each user. No key is needed to run it.
import assert from 'node:assert/strict';
// #region memory-tool
import { MemoryClient } from '@memory-service/sdk';
import { MemoryFiles } from './anthropic-memory-tool/files.js';
import { type MemoryCommand, runCommand } from './anthropic-memory-tool/memory-tool.js';

const files = new MemoryFiles(new MemoryClient().forSubject('user-1'));

/** Answers a `tool_use` block of the model with a `tool_result` block. */
async function answer(block: { id: string; input: unknown }) {
  const result = await runCommand(files, block.input as MemoryCommand);
  return { type: 'tool_result', tool_use_id: block.id, ...result } as const;
}
// #endregion memory-tool

const path = '/memories/preferences.md';
const inputs: MemoryCommand[] = [
  { command: 'view', path: '/memories' },
  { command: 'create', path, file_text: 'Likes tea.' },
  { command: 'str_replace', path, old_str: 'tea', new_str: 'green tea' },
  { command: 'view', path },
];
const results = [];
for (const [index, input] of inputs.entries()) results.push(await answer({ id: `call-${index}`, input }));

assert.match(results.at(-1)?.content ?? '', /Likes green tea\./);
console.log(results.map(({ content }) => content).join('\n'));
await answer({ id: 'last', input: { command: 'delete', path } });
