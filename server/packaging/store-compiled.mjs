// Starts the bundled service once, on a temporary folder, and stores the compiled code of what the start and the first
// requests run.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storeCompiled } from '../dist/modules/start/load-compiled.js';

const START = fileURLToPath(new URL('../dist/start', import.meta.url));
const PROGRAM = 'program.cjs';
const others = readdirSync(START).filter((name) => name.endsWith('.cjs') && name !== PROGRAM);

const folder = mkdtempSync(join(tmpdir(), 'memory-service-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const files = [PROGRAM, ...others].map((name) => join(START, name));
let service;
await storeCompiled(files, async ({ run }) => {
  service = await run([], { HOST: '127.0.0.1', PORT: '0', SERVICE_DATA_DIR: folder });
  if (!service) throw new Error('the service did not start');
  await useOnce(service);
});
await service[Symbol.asyncDispose]();
process.exit();

async function useOnce({ url, credentials }) {
  const headers = { authorization: `Bearer ${credentials.token}`, 'content-type': 'application/json' };
  const send = async (path, body) => {
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, init);
    if (!answer.ok) throw new Error(`${path} ended with ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  await send('/health/ready');
  await send('/api/memories', { content: 'Deploys run on Fridays at noon.' });
  await send('/api/memories/search', { query: 'when do we deploy' });
}
