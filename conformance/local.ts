import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * Runs the suite against this package's own server: one of its own for each type of subject keys, on a free port and a
 * folder that goes when it is done. Further arguments go to the suite.
 */
const TYPES = ['string', 'integer'] as const;
const LISTENING = /^Memory Service listens on (\S+)$/;
const PLENTY = '1000000';

for (const type of TYPES) {
  console.log(`\nSubject keys of type ${type}\n`);
  process.exitCode = Math.max(Number(process.exitCode ?? 0), await runAgainst(type));
}

async function runAgainst(type: (typeof TYPES)[number]): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-conformance-'));
  const server = spawn(process.execPath, [built('server/main.js')], {
    env: {
      ...process.env,
      ...ownDatabase(`conformance_${type}_${randomUUID()}`),
      APP_ENV: 'local',
      PORT: '0',
      SERVICE_DATA_DIR: dataDir,
      SERVICE_CONTENT_SCAN_ENABLED: 'true',
      SERVICE_RATE_LIMIT_INGEST: PLENTY,
      SERVICE_RATE_LIMIT_SEARCH: PLENTY,
      SERVICE_RATE_LIMIT_ADMIN: PLENTY,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await firstUrl(createInterface({ input: server.stdout }));
    const credentials: unknown = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    const { token } = credentials as { token: string };
    await chooseType(url, token, type);
    const suite = spawn(process.execPath, [built('conformance/run.js'), ...process.argv.slice(2)], {
      env: { ...process.env, MEMORY_BASE_URL: url, MEMORY_TOKEN: token },
      stdio: 'inherit',
    });
    const [code] = await once(suite, 'exit');
    return code ?? 2;
  } finally {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** On MongoDB, a database of this run, beside whatever else the deployment holds. */
function ownDatabase(name: string): Record<string, string> {
  const uri = process.env.MONGODB_URI;
  if (process.env.SERVICE_STORE !== 'mongodb' || uri === undefined) return {};
  return { MONGODB_URI: uri.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`) };
}

function built(file: string): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url));
}

async function firstUrl(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const url = LISTENING.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the server ended before it listened');
}

async function chooseType(url: string, token: string, subjectKeyType: string): Promise<void> {
  const { status } = await fetch(`${url}/api/organization/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subjectKeyType }),
  });
  if (status !== 200) throw new Error(`the subject key type could not be chosen (${status})`);
}
