import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import { builtPackage } from '../../testing/processes/server-process.js';

const BIN = join(builtPackage('server'), '../bin');

test.each(readdirSync(BIN))('%s reports how many open files it needs, and how to allow them', (program) => {
  const allowing = (count: number) => `ulimit -n ${count} && exec "$0" "$@"`;
  const env = { ...process.env, SERVICE_DATA_DIR: quickFolder() };

  const ended = spawnSync('sh', ['-c', allowing(64), process.execPath, join(BIN, program)], { env, encoding: 'utf8' });

  expect(ended.status).toBe(1);
  expect(ended.stdout).toBe('');
  expect(ended.stderr).toMatch(/^This process may open too few files: it needs at least 256, .*"ulimit -n 4096".*\n$/);
});
