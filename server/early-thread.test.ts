import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from './config/config.js';
import { startIndexThread } from './early-thread.js';
import { quickFolder } from './testing/processes/quick-folder.js';

test('a thread is started only for the embedded store with index files', async () => {
  const [without, empty, dataDir] = [quickFolder(), quickFolder(), quickFolder()];
  for (const folder of [empty, dataDir]) mkdirSync(join(folder, 'indexes'));
  writeFileSync(join(dataDir, 'indexes', 'an-organization.vectors'), 'no index');
  const started = (SERVICE_DATA_DIR: string, env = {}) =>
    startIndexThread(readConfig({ SERVICE_DATA_DIR, SERVICE_LOG_LEVEL: 'silent', ...env }));
  const mongodb = { SERVICE_STORE: 'mongodb', MONGODB_URI: 'mongodb://localhost/memories' };

  await using thread = started(dataDir);

  expect(thread?.isRunning ?? false).toBe(availableParallelism() > 1);
  expect([started(without), started(empty), started(dataDir, mongodb)]).toEqual([undefined, undefined, undefined]);
});
