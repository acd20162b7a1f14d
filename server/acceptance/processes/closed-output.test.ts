import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

test('a check whose reader ends after the first line goes on, and ends with its own result', async () => {
  const dataDir = quickFolder();
  await using _ = await ServerProcess.start(builtPackage('server'), dataDir);
  const check = `'${process.execPath}' '${join(builtPackage('server'), 'main.cjs')}' check`;

  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', `set -o pipefail; ${check} | head -n 1`], {
    env: { ...process.env, SERVICE_DATA_DIR: dataDir },
  });

  expect(stdout).toMatch(/^ok +schema\n$/);
  expect(stderr).toBe('');
});
