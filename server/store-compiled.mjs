// Starts the bundled service once, on a temporary folder, and stores the compiled code of what the start runs.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storeCompiled } from './dist/modules/load-compiled.js';

const START = fileURLToPath(new URL('dist/start', import.meta.url));
const PROGRAM = 'program.cjs';
const others = readdirSync(START).filter((name) => name.endsWith('.cjs') && name !== PROGRAM);

const folder = mkdtempSync(join(tmpdir(), 'memory-service-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const files = [PROGRAM, ...others].map((name) => join(START, name));
await storeCompiled(files, async ({ run }) => {
  await run([], { HOST: '127.0.0.1', PORT: '0', SERVICE_DATA_DIR: folder });
  if (process.exitCode !== undefined) throw new Error('the service did not start');
});
process.kill(process.pid, 'SIGTERM');
